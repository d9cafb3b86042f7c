/** How many emails companies may send per day and month, and how much of that is spent. */
import { Group, NativeSelect, NumberInput, Progress, Stack, Text, TextInput } from '@mantine/core';
import type { QuotaEntry } from '../../../src/policy/index.js';
import { callApi } from '../../api/call-api.js';
import { useSession } from '../../api/session.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { FormButton } from '../../parts/form-button.js';
import { numberOf, textOf } from '../../parts/form-values.js';
import { PageTurner } from '../../parts/page-turner.js';
import { Sheet } from '../../parts/sheet.js';
import { TimeText } from '../../parts/time-text.js';
import { useList } from '../../parts/use-list.js';
import { useUrlState } from '../../parts/use-url-state.js';

/** Instants are text on the way here. */
type Quota = Omit<QuotaEntry, 'resetAt'> & { resetAt: string };

export function QuotaSheet() {
  const session = useSession();
  const [{ quotasAfter }, change] = useUrlState(['quotasAfter']);
  const { answer, asked, again } = useList<{ quotas: Quota[]; nextCursor: string | null }>(
    'quotas',
    '/admin/quotas',
    { query: { cursor: quotasAfter } },
  );
  const mayChange = session.may('operate');
  return (
    <Sheet
      title="Quotas of companies"
      says="Days and months are those of UTC."
      flush
      aside={mayChange && <SetQuota label="Set a quota" onDone={again} />}
    >
      <DataTable
        label="Quotas"
        rows={answer?.quotas}
        {...asked}
        keyOf={({ companyId, period }) => `${companyId} ${period}`}
        minWidth={640}
        columns={[
          { name: 'Company', cell: ({ companyId }) => <span className="break">{companyId}</span> },
          { name: 'Per', cell: ({ period }) => period },
          { name: 'Spent', cell: (quota) => <Spent {...quota} />, width: '34%' },
          { name: 'From anew', cell: ({ resetAt }) => <TimeText at={resetAt} /> },
          ...(mayChange
            ? [{ name: 'Change', cell: (quota: Quota) => <Change quota={quota} onDone={again} /> }]
            : []),
        ]}
        empty={
          <EmptyState icon="gauge" title="No company has a quota">
            Without one nothing is counted. A new quota counts from the moment it is set.
          </EmptyState>
        }
      />
      <PageTurner
        current={quotasAfter}
        next={answer?.nextCursor}
        onTurn={(cursor) => change({ quotasAfter: cursor })}
      />
    </Sheet>
  );
}

function Spent({ used, limit }: Quota) {
  const share = limit === 0 ? 100 : Math.min(100, (used / limit) * 100);
  return (
    <Stack gap={4}>
      <Text size="sm">
        {used.toLocaleString()} of {limit.toLocaleString()}
      </Text>
      <Progress
        value={share}
        color={share >= 90 ? 'var(--tone-bad)' : 'var(--tone-calm)'}
        aria-label="Spent"
      />
    </Stack>
  );
}

const pathOf = (companyId: string, period: string) =>
  `/admin/quotas/${encodeURIComponent(companyId)}/${encodeURIComponent(period)}`;

function Change({ quota, onDone }: { quota: Quota; onDone(): void }) {
  const { companyId, period } = quota;
  return (
    <Group gap="xs" wrap="nowrap">
      <SetQuota label="Change" quota={quota} onDone={onDone} />
      <ConfirmButton
        label="Remove"
        size="compact-sm"
        title={`Remove the quota of ${companyId} per ${period}?`}
        act={() => callApi('DELETE', pathOf(companyId, period))}
        onDone={onDone}
      >
        It may send as much as it likes from now on.
      </ConfirmButton>
    </Group>
  );
}

function SetQuota({ label, quota, onDone }: { label: string; quota?: Quota; onDone(): void }) {
  return (
    <FormButton
      label={label}
      size={quota ? 'compact-sm' : 'xs'}
      title={quota ? `The quota of ${quota.companyId} per ${quota.period}` : 'Set a quota'}
      submitLabel="Set it"
      act={(form) => {
        const companyId = quota?.companyId ?? textOf(form, 'companyId');
        const period = quota?.period ?? textOf(form, 'period');
        return callApi('PUT', pathOf(companyId, period), { body: { limit: numberOf(form, 'limit') } });
      }}
      onDone={onDone}
    >
      {!quota && (
        <>
          <TextInput name="companyId" label="Company" required data-autofocus />
          <NativeSelect name="period" label="Per" data={['day', 'month']} />
        </>
      )}
      <NumberInput
        name="limit"
        label="Emails"
        min={0}
        allowDecimal={false}
        required
        defaultValue={quota?.limit ?? 1000}
      />
    </FormButton>
  );
}
