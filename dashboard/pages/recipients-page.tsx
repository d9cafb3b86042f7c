/** The people of a company: found by address or by the application's own id, or looked through page by page. */
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import type { Recipient, RecipientPage } from '../../src/recipients/index.js';
import { CompanyField } from '../parts/company-field.js';
import { DataTable } from '../parts/data-table.js';
import { EmptyState } from '../parts/empty-state.js';
import { FilterField } from '../parts/filter-field.js';
import { FindField } from '../parts/find-field.js';
import { PageHeader } from '../parts/page-header.js';
import { PageTurner } from '../parts/page-turner.js';
import { Sheet } from '../parts/sheet.js';
import { StatusBadge } from '../parts/status-badge.js';
import { TimeText } from '../parts/time-text.js';
import { useList } from '../parts/use-list.js';
import { useUrlState } from '../parts/use-url-state.js';
import { pathOfPerson } from './recipients/path-of-person.js';

export default function RecipientsPage() {
  const [filter, change] = useUrlState(['companyId', 'status', 'cursor']);
  const [, navigate] = useLocation();
  const { answer, asked } = useList<RecipientPage>('recipients', '/v1/recipients', {
    query: { ...filter, limit: 50 },
  });
  const filtered = filter.status !== undefined;
  return (
    <>
      <PageHeader title="Recipients" says="The people of a company, as its application has named them." />
      <Group mb="md" gap="md" align="flex-end">
        <CompanyField
          value={filter.companyId}
          onChange={(companyId) => change({ companyId, cursor: null })}
        />
        <FilterField
          label="Status"
          placeholder="active"
          w={140}
          value={filter.status}
          onChange={(status) => change({ status, cursor: null })}
        />
        <FindField
          label="Find a person"
          placeholder="address or own id"
          onFind={(text) =>
            navigate(pathOfPerson(text.includes('@') ? text : `external:${text}`, filter.companyId))
          }
        />
      </Group>
      <Sheet flush>
        <DataTable
          label="Recipients"
          rows={answer?.recipients}
          {...asked}
          keyOf={({ recipientId }) => recipientId}
          minWidth={720}
          columns={[
            { name: 'Person', cell: (person) => <Person {...person} /> },
            {
              name: 'Own id',
              cell: ({ externalId }) => externalId && <span className="break">{externalId}</span>,
            },
            { name: 'Language', cell: ({ language }) => language },
            { name: 'Time zone', cell: ({ timeZone }) => timeZone },
            { name: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
            {
              name: 'Last active',
              cell: ({ lastActiveAt }) => lastActiveAt && <TimeText at={lastActiveAt} />,
            },
            {
              name: 'Days in a row',
              numeric: true,
              cell: ({ streakDays }) => streakDays.toLocaleString(),
            },
          ]}
          empty={
            <EmptyState icon="people" title={filtered ? 'Nobody has this status' : 'Nobody yet'}>
              {filtered
                ? 'Clear the field to see everyone.'
                : 'People come by POST /v1/recipients, from the library, or with postrider recipients import.'}
            </EmptyState>
          }
        />
      </Sheet>
      <PageTurner current={filter.cursor} next={answer?.nextCursor} onTurn={(cursor) => change({ cursor })} />
    </>
  );
}

function Person({ recipientId, companyId, email, name }: Recipient) {
  return (
    <Stack gap={0}>
      <Anchor
        component={Link}
        href={pathOfPerson(recipientId, companyId)}
        size="sm"
        fw={600}
        className="break"
      >
        {email}
      </Anchor>
      {name && (
        <Text size="sm" c="dimmed" className="break">
          {name}
        </Text>
      )}
    </Stack>
  );
}
