/**
 * Every email, the newest first: found by whom it was for, what it was, what became of it and when. What is looked for
 * stands in the address; a page leads on by cursor, so that new emails move nothing.
 */
import { Button, Group } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { EmailLog } from '../../src/views/index.js';
import { callApi, queryOf } from '../api/call-api.js';
import { DataTable } from '../parts/data-table.js';
import { EmailFilters, FILTER_NAMES } from '../parts/email-filters.js';
import { EmptyState } from '../parts/empty-state.js';
import { Icon } from '../parts/icon.js';
import { PageHeader } from '../parts/page-header.js';
import { Sheet } from '../parts/sheet.js';
import { StatusBadge } from '../parts/status-badge.js';
import { TimeText } from '../parts/time-text.js';
import { useUrlState } from '../parts/use-url-state.js';

const REFRESH_MS = 5_000;

export default function EmailsPage() {
  const [{ cursor, ...filter }, change] = useUrlState([...FILTER_NAMES, 'cursor']);
  const page = useQuery({
    queryKey: ['emails', filter, cursor],
    queryFn: ({ signal }) =>
      callApi<{ emails: EmailLog[]; nextCursor: string | null }>('GET', '/v1/emails', {
        query: { ...filter, cursor },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: cursor ? false : REFRESH_MS,
  });
  const filtered = Object.keys(filter).length > 0;
  return (
    <>
      <PageHeader title="Emails" says="Everything that was accepted, the newest first.">
        <Button
          component="a"
          href={`/admin/emails/export${queryOf(filter)}`}
          variant="default"
          leftSection={<Icon name="download" size={16} />}
        >
          Export CSV
        </Button>
      </PageHeader>
      <EmailFilters
        filter={filter}
        error={page.error}
        onChange={(changes) => change({ ...changes, cursor: null })}
      />
      <Sheet flush>
        <DataTable
          label="Emails"
          rows={page.error ? undefined : page.data?.emails}
          error={page.error}
          onRetry={() => page.refetch()}
          keyOf={(email) => email.id}
          minWidth={560}
          columns={[
            { name: 'Status', width: 116, cell: (email) => <StatusBadge status={email.status} /> },
            {
              name: 'Email',
              cell: (email) => (
                <div className="two-lines">
                  <Link href={`/emails/${email.id}`} className="clip subject">
                    {email.subject}
                  </Link>
                  <span className="clip dim">{email.to}</span>
                </div>
              ),
            },
            {
              name: 'Type',
              wide: true,
              width: 190,
              cell: (email) => (
                <div className="two-lines">
                  <span className="clip">{email.type ?? '–'}</span>
                  <span className="clip dim">{email.companyId}</span>
                </div>
              ),
            },
            { name: 'Attempts', numeric: true, wide: true, width: 90, cell: (email) => email.attempts },
            { name: 'Accepted', width: 110, cell: (email) => <TimeText at={email.createdAt} /> },
          ]}
          empty={
            filtered ? (
              <EmptyState icon="search" title="No email matches">
                <Button variant="default" onClick={() => change(NOTHING)}>
                  Clear what is looked for
                </Button>
              </EmptyState>
            ) : (
              <EmptyState icon="mail" title="No emails yet">
                Whatever an application hands in shows up here at once.
              </EmptyState>
            )
          }
        />
      </Sheet>
      <Group justify="flex-end" mt="md" gap="sm">
        {cursor && (
          <Button variant="default" onClick={() => history.back()}>
            Back
          </Button>
        )}
        {cursor && (
          <Button variant="default" onClick={() => change({ cursor: null })}>
            To the newest
          </Button>
        )}
        <Button
          variant="default"
          disabled={!page.data?.nextCursor || page.isPlaceholderData}
          onClick={() => change({ cursor: page.data?.nextCursor ?? null })}
        >
          Older
        </Button>
      </Group>
    </>
  );
}

const NOTHING = Object.fromEntries([...FILTER_NAMES, 'cursor'].map((name) => [name, null]));
