/** The limits of types: those the code declares, and those that were set and win over them. */
import { Group, NativeSelect, NumberInput, Text, TextInput } from '@mantine/core';
import type { RateLimitEntry } from '../../../src/policy/index.js';
import { callApi } from '../../api/call-api.js';
import { useSession } from '../../api/session.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { FormButton } from '../../parts/form-button.js';
import { given, numberOf, textOf } from '../../parts/form-values.js';
import { Sheet } from '../../parts/sheet.js';
import { StatusBadge } from '../../parts/status-badge.js';
import { useList } from '../../parts/use-list.js';
import { sayWindow, secondsOf, UNITS, unitOf } from './say-window.js';

export function RateLimitSheet() {
  const session = useSession();
  const { answer, asked, again } = useList<{ rateLimits: RateLimitEntry[] }>(
    'rate-limits',
    '/admin/rate-limits',
  );
  const mayChange = session.may('operate');
  return (
    <Sheet
      title="Per recipient and type"
      says="Of a company before those of all; what is set before what the code declares."
      flush
      aside={mayChange && <SetLimit label="Set a limit" onDone={again} />}
    >
      <DataTable
        label="Rate limits"
        rows={answer?.rateLimits}
        {...asked}
        keyOf={({ type, companyId }) => `${type} ${companyId ?? ''}`}
        minWidth={640}
        expected={10}
        columns={[
          { name: 'Type', cell: ({ type }) => <span className="break">{type}</span> },
          {
            name: 'Company',
            cell: ({ companyId }) =>
              companyId ?? (
                <Text c="dimmed" size="sm">
                  every company
                </Text>
              ),
          },
          { name: 'At most', cell: (entry) => saidLimit(entry) },
          {
            name: 'From',
            cell: ({ source }) => (
              <StatusBadge
                status={source}
                tone={source === 'set' ? 'calm' : 'quiet'}
                label={source === 'set' ? 'set here' : 'the code'}
              />
            ),
          },
          ...(mayChange
            ? [{ name: 'Change', cell: (entry: RateLimitEntry) => <Change entry={entry} onDone={again} /> }]
            : []),
        ]}
        empty={
          <EmptyState icon="gauge" title="No limit">
            Neither the code nor anyone else has set one.
          </EmptyState>
        }
      />
    </Sheet>
  );
}

function saidLimit({ limit, windowSeconds }: RateLimitEntry): string {
  return limit === null ? 'no limit' : `${limit.toLocaleString()} ${sayWindow(windowSeconds)}`;
}

function Change({ entry, onDone }: { entry: RateLimitEntry; onDone(): void }) {
  const { type, companyId, source } = entry;
  return (
    <Group gap="xs" wrap="nowrap">
      <SetLimit label="Change" entry={entry} onDone={onDone} />
      {source === 'set' && (
        <ConfirmButton
          label="Reset"
          size="compact-sm"
          title={`Reset the limit of ${type}?`}
          act={() =>
            callApi('DELETE', `/admin/rate-limits/${encodeURIComponent(type)}`, { query: { companyId } })
          }
          onDone={onDone}
        >
          What the code declares, or what holds for every company, holds again at once.
        </ConfirmButton>
      )}
    </Group>
  );
}

function SetLimit({ label, entry, onDone }: { label: string; entry?: RateLimitEntry; onDone(): void }) {
  const unit = unitOf(entry?.windowSeconds ?? 3600);
  return (
    <FormButton
      label={label}
      size={entry ? 'compact-sm' : 'xs'}
      title={entry ? `The limit of ${entry.type}` : 'Set a limit'}
      submitLabel="Set it"
      act={(form) => {
        const type = entry?.type ?? textOf(form, 'type');
        const limit = numberOf(form, 'limit');
        const per = secondsOf(numberOf(form, 'per'), textOf(form, 'unit'));
        return callApi('PUT', `/admin/rate-limits/${encodeURIComponent(type)}`, {
          body: {
            ...(entry
              ? entry.companyId !== null && { companyId: entry.companyId }
              : given(form, 'companyId')),
            ...{ limit, windowSeconds: limit === null ? null : per },
          },
        });
      }}
      onDone={onDone}
    >
      {!entry && (
        <>
          <TextInput name="type" label="Type of email" placeholder="verification" required data-autofocus />
          <TextInput name="companyId" label="Company" placeholder="every company" />
        </>
      )}
      <NumberInput
        name="limit"
        label="At most"
        description="Left empty, there is no limit."
        min={1}
        allowDecimal={false}
        defaultValue={entry?.limit ?? (entry ? '' : 5)}
      />
      <Group grow align="flex-end">
        <NumberInput
          name="per"
          label="Per"
          min={1}
          allowDecimal={false}
          defaultValue={(entry?.windowSeconds ?? 3600) / unit.seconds}
        />
        <NativeSelect
          name="unit"
          aria-label="Unit of time"
          data={[...UNITS.map(({ name }) => name), 'ever']}
          defaultValue={entry && entry.limit !== null && entry.windowSeconds === null ? 'ever' : unit.name}
        />
      </Group>
    </FormButton>
  );
}
