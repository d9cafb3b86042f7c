/** What operators did: newest first, by whom, to what, from where. Nobody can change it, here or in the database. */
import { Group, Stack, Text } from '@mantine/core';
import type { AuditPage as AuditAnswer, AuditRecord } from '../../src/access/index.js';
import { CompanyField } from '../parts/company-field.js';
import { DataTable } from '../parts/data-table.js';
import { EmptyState } from '../parts/empty-state.js';
import { FilterField } from '../parts/filter-field.js';
import { PageHeader } from '../parts/page-header.js';
import { PageTurner } from '../parts/page-turner.js';
import { Sheet } from '../parts/sheet.js';
import { StatusBadge } from '../parts/status-badge.js';
import { TimeText } from '../parts/time-text.js';
import { useList } from '../parts/use-list.js';
import { useUrlState } from '../parts/use-url-state.js';

export default function AuditPage() {
  const [filter, change] = useUrlState(['actor', 'action', 'companyId', 'before']);
  const { answer, asked } = useList<AuditAnswer>('audit', '/admin/audit', { query: filter });
  const filtered = Object.keys(filter).length > 0;
  return (
    <>
      <PageHeader title="Audit log" says="What operators did. It can be read and added to, never changed." />
      <Group mb="md" gap="md" align="flex-end">
        <FilterField
          label="Who"
          placeholder="address or name"
          value={filter.actor}
          onChange={(actor) => change({ actor, before: null })}
        />
        <FilterField
          label="What"
          placeholder="tenant.create"
          value={filter.action}
          onChange={(action) => change({ action, before: null })}
        />
        <CompanyField
          value={filter.companyId}
          empty="every company"
          onChange={(companyId) => change({ companyId, before: null })}
        />
      </Group>
      <Sheet flush>
        <DataTable
          label="Audit log"
          rows={answer?.entries}
          {...asked}
          keyOf={({ id }) => id}
          minWidth={820}
          columns={[
            { name: 'When', cell: ({ at }) => <TimeText at={at} /> },
            { name: 'Who', cell: (entry) => <Who {...entry} /> },
            { name: 'What', cell: (entry) => <What {...entry} /> },
            {
              name: 'Company',
              cell: ({ companyId }) => companyId && <span className="break">{companyId}</span>,
            },
            {
              name: 'Outcome',
              cell: ({ outcome }) => <StatusBadge status={outcome} tone={TONE[outcome] ?? 'quiet'} />,
            },
            { name: 'Detail', cell: ({ detail }) => <Detail detail={detail} /> },
          ]}
          empty={
            <EmptyState icon="list" title={filtered ? 'Nothing like that' : 'Nothing was done yet'}>
              {filtered
                ? 'Names are matched exactly; clear a field to see more.'
                : 'Signing in, making a key or pausing a route leaves a line here.'}
            </EmptyState>
          }
        />
      </Sheet>
      <PageTurner current={filter.before} next={answer?.next} onTurn={(before) => change({ before })} />
    </>
  );
}

const TONE: Record<string, 'good' | 'calm' | 'bad'> = { done: 'good', asked: 'calm', refused: 'bad' };

function Who({ actor, ip }: AuditRecord) {
  return (
    <Stack gap={0}>
      <span className="break">{actor.name}</span>
      <Text size="xs" c="dimmed">
        {[actor.kind, ip].filter(Boolean).join(' · ')}
      </Text>
    </Stack>
  );
}

function What({ action, target }: AuditRecord) {
  return (
    <Stack gap={0}>
      <Text size="sm" ff="monospace" className="break">
        {action}
      </Text>
      {target && (
        <Text size="xs" c="dimmed" className="break">
          {target}
        </Text>
      )}
    </Stack>
  );
}

function Detail({ detail }: { detail: Record<string, unknown> }) {
  const entries = Object.entries(detail);
  if (entries.length === 0) return null;
  return (
    <Text size="xs" className="break">
      {entries.map(([name, value]) => `${name}: ${said(value)}`).join(' · ')}
    </Text>
  );
}

function said(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
