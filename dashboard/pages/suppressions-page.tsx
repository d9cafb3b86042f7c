/** Whom a company must not write to, and why. */
import { Anchor, Button, Group, NativeSelect, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Suppression, SuppressionPage } from '../../src/recipients/index.js';
import { callApi, queryOf } from '../api/call-api.js';
import { useSession } from '../api/session.js';
import { CompanyField } from '../parts/company-field.js';
import { DataTable } from '../parts/data-table.js';
import { EmptyState } from '../parts/empty-state.js';
import { FilterField } from '../parts/filter-field.js';
import { Icon } from '../parts/icon.js';
import { PageHeader } from '../parts/page-header.js';
import { PageTurner } from '../parts/page-turner.js';
import { Sheet } from '../parts/sheet.js';
import { StatusBadge } from '../parts/status-badge.js';
import { TimeText } from '../parts/time-text.js';
import { useUrlState } from '../parts/use-url-state.js';
import { ImportSuppressions } from './recipients/import-suppressions.js';
import { RemoveSuppression, Suppress } from './recipients/suppression-acts.js';

export default function SuppressionsPage() {
  const [filter, change] = useUrlState(['companyId', 'reason', 'email', 'cursor']);
  const session = useSession();
  const queries = useQueryClient();
  const page = useQuery({
    queryKey: ['suppressions', filter],
    queryFn: async ({ signal }): Promise<SuppressionPage> => {
      const { email, ...query } = filter;
      if (email === undefined)
        return callApi('GET', '/v1/suppressions', { query: { ...query, limit: 50 }, signal });
      const { suppressions } = await callApi<{ suppressions: Suppression[] }>(
        'GET',
        `/v1/suppressions/${encodeURIComponent(email)}`,
        { query: { companyId: query.companyId }, signal },
      );
      return { suppressions, nextCursor: null };
    },
  });
  const again = () => queries.invalidateQueries({ queryKey: ['suppressions'] });
  const mayAct = session.may('operate');
  const { companyId, reason } = filter;
  return (
    <>
      <PageHeader
        title="Suppressions"
        says="Addresses that are not written to. What is accepted for them ends as suppressed; so does what waits already."
      >
        <Button
          component="a"
          href={`/v1/suppressions/export${queryOf({ companyId, reason })}`}
          download
          variant="default"
          leftSection={<Icon name="download" size={16} />}
        >
          Export CSV
        </Button>
        {mayAct && <ImportSuppressions companyId={companyId} onDone={again} />}
        {mayAct && <Suppress companyId={companyId} onDone={again} />}
      </PageHeader>
      <Group mb="md" gap="md" align="flex-end">
        <CompanyField value={companyId} onChange={(chosen) => change({ companyId: chosen, cursor: null })} />
        <NativeSelect
          label="Reason"
          value={reason ?? ''}
          disabled={filter.email !== undefined}
          onChange={(event) => change({ reason: event.currentTarget.value, cursor: null })}
          data={[
            { value: '', label: 'any' },
            ...['bounce', 'complaint', 'manual', 'unsubscribe'].map((value) => ({ value, label: value })),
          ]}
        />
        <FilterField
          label="Address"
          placeholder="ada@example.net"
          value={filter.email}
          onChange={(email) => change({ email, cursor: null })}
        />
      </Group>
      <Sheet flush>
        <DataTable
          label="Suppressions"
          rows={page.data?.suppressions}
          error={page.error}
          onRetry={() => page.refetch()}
          keyOf={(entry) => `${entry.email} ${entry.reason} ${entry.category} ${entry.createdAt}`}
          minWidth={720}
          columns={[
            {
              name: 'Address',
              cell: ({ email }) =>
                email === null ? (
                  <Text c="dimmed" size="sm">
                    erased
                  </Text>
                ) : (
                  <span className="break">{email}</span>
                ),
            },
            { name: 'Why', cell: (entry) => <StatusBadge status={entry.reason} tone="wait" /> },
            {
              name: 'Kind of email',
              cell: ({ category }) =>
                category ?? (
                  <Text c="dimmed" size="sm">
                    all
                  </Text>
                ),
            },
            { name: 'Note', cell: ({ note }) => note && <span className="break">{note}</span> },
            {
              name: 'Because of',
              cell: ({ emailId }) =>
                emailId && (
                  <Anchor component={Link} href={`/emails/${emailId}`} size="sm">
                    an email
                  </Anchor>
                ),
            },
            { name: 'Since', cell: ({ createdAt }) => <TimeText at={createdAt} /> },
            ...(mayAct
              ? [
                  {
                    name: 'Change',
                    cell: (entry: Suppression) =>
                      entry.email !== null && (
                        <RemoveSuppression entry={{ ...entry, email: entry.email }} onDone={again} />
                      ),
                  },
                ]
              : []),
          ]}
          empty={
            <EmptyState
              icon="shield"
              title={filter.email ? 'Nothing against this address' : 'Nobody is suppressed'}
            >
              {filter.email
                ? 'It is written to as any other.'
                : 'Hard bounces, complaints and unsubscribes stand here by themselves.'}
            </EmptyState>
          }
        />
      </Sheet>
      <PageTurner
        current={filter.cursor}
        next={page.data?.nextCursor}
        onTurn={(cursor) => change({ cursor })}
      />
    </>
  );
}
