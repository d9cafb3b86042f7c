/**
 * What ended in failure or doubt and waits for a person: counted by error, looked at one by one, tried again or taken
 * off the list. Many at once go in small parts, so that it can be seen how far it is, and stopped.
 */
import { Button, Group, Stack } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { DeadLetter, DeadLetterGroup } from '../../src/views/index.js';
import { callApi } from '../api/call-api.js';
import { useSession } from '../api/session.js';
import { BulkRetry, type RetryJob } from '../parts/bulk-retry.js';
import { ConfirmButton } from '../parts/confirm-button.js';
import { DataTable } from '../parts/data-table.js';
import { EmptyState } from '../parts/empty-state.js';
import { Icon } from '../parts/icon.js';
import { PageHeader } from '../parts/page-header.js';
import { Sheet } from '../parts/sheet.js';
import { StatusBadge } from '../parts/status-badge.js';
import { TimeText } from '../parts/time-text.js';
import { useUrlState } from '../parts/use-url-state.js';
import { BrokerLetters } from './dead-letters/broker-letters.js';

export default function DeadLettersPage() {
  const [{ errorCode, status, cursor }, change] = useUrlState(['errorCode', 'status', 'cursor']);
  const may = useSession().may('operate');
  const queries = useQueryClient();
  const groups = useQuery({
    queryKey: ['dead-letters', 'groups'],
    queryFn: ({ signal }) =>
      callApi<{ groups: DeadLetterGroup[] }>('GET', '/admin/dead-letters/groups', { signal }),
    refetchInterval: 5_000,
  });
  const letters = useQuery({
    queryKey: ['dead-letters', 'list', errorCode, status, cursor],
    queryFn: ({ signal }) =>
      callApi<{ deadLetters: DeadLetter[]; nextCursor: string | null }>('GET', '/admin/dead-letters', {
        query: { errorCode, status, cursor, limit: 50 },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: cursor ? false : 5_000,
  });
  const [job, setJob] = useState<RetryJob | null>(null);
  const refresh = () => queries.invalidateQueries({ queryKey: ['dead-letters'] });
  const all = groups.data?.groups.reduce((sum, { count }) => sum + count, 0) ?? 0;
  const chosen = errorCode !== undefined || status !== undefined;
  return (
    <>
      <PageHeader title="Dead letters" says="Emails that failed for good, or of which nobody knows.">
        {may && all > 0 && (
          <Button
            variant="default"
            leftSection={<Icon name="retry" size={16} />}
            onClick={() => setJob({ what: 'every dead letter', filter: {}, count: all })}
          >
            Retry all
          </Button>
        )}
      </PageHeader>
      {job && <BulkRetry job={job} onClose={() => setJob(null)} onDone={refresh} />}
      <Stack gap="md">
        <Sheet title="By error" flush>
          <DataTable
            label="Dead letters by error"
            rows={groups.data?.groups}
            error={groups.error}
            onRetry={() => groups.refetch()}
            keyOf={(group) => `${group.errorCode} ${group.status}`}
            minWidth={640}
            columns={[
              {
                name: 'Error',
                cell: (group) => (
                  <Button
                    variant="transparent"
                    size="compact-sm"
                    className="break"
                    px={0}
                    aria-pressed={errorCode === group.errorCode && status === group.status}
                    onClick={() => change({ errorCode: group.errorCode, status: group.status, cursor: null })}
                  >
                    {group.errorCode ?? 'no code'}
                  </Button>
                ),
              },
              { name: 'Status', width: 110, cell: (group) => <StatusBadge status={group.status} /> },
              { name: 'Emails', numeric: true, width: 90, cell: (group) => group.count.toLocaleString() },
              {
                name: '',
                width: 176,
                cell: (group) =>
                  may ? (
                    <Button variant="default" size="compact-sm" onClick={() => setJob(jobOf(group))}>
                      Retry group
                    </Button>
                  ) : (
                    ''
                  ),
              },
            ]}
            empty={
              <EmptyState icon="check" title="No dead letters">
                Everything that was accepted went out, is on its way, or was taken back.
              </EmptyState>
            }
          />
        </Sheet>
        {all > 0 && (
          <Sheet
            flush
            title={chosen ? `Emails with ${errorCode ?? status}` : 'Emails'}
            aside={
              chosen && (
                <Button
                  size="compact-sm"
                  variant="default"
                  onClick={() => change({ errorCode: null, status: null, cursor: null })}
                >
                  Show all
                </Button>
              )
            }
          >
            <DataTable
              label="Dead letters"
              rows={letters.data?.deadLetters}
              error={letters.error}
              onRetry={() => letters.refetch()}
              keyOf={(letter) => letter.id}
              minWidth={780}
              columns={[
                { name: 'Status', width: 100, cell: (letter) => <StatusBadge status={letter.status} /> },
                {
                  name: 'Email',
                  cell: (letter) => (
                    <div className="two-lines">
                      <Link href={`/emails/${letter.id}`} className="clip subject">
                        {letter.subject}
                      </Link>
                      <span className="clip dim">{letter.to}</span>
                    </div>
                  ),
                },
                {
                  name: 'Error',
                  cell: (letter) => <span className="break dim">{letter.lastError ?? letter.errorCode}</span>,
                },
                { name: 'Failed', width: 100, cell: (letter) => <TimeText at={letter.processedAt} /> },
                {
                  name: '',
                  width: 190,
                  cell: (letter) => (may ? <Actions letter={letter} onDone={refresh} /> : ''),
                },
              ]}
              empty={<EmptyState icon="check" title="None of these is left" />}
            />
          </Sheet>
        )}
        {(cursor || letters.data?.nextCursor) && (
          <Group justify="flex-end" gap="sm">
            {cursor && (
              <Button variant="default" onClick={() => change({ cursor: null })}>
                To the newest
              </Button>
            )}
            <Button
              variant="default"
              disabled={!letters.data?.nextCursor}
              onClick={() => change({ cursor: letters.data?.nextCursor ?? null })}
            >
              Older
            </Button>
          </Group>
        )}
        <BrokerLetters />
      </Stack>
    </>
  );
}

function jobOf({ errorCode, status, count }: DeadLetterGroup): RetryJob {
  return {
    what: `those with ${errorCode ?? 'no code'}`,
    filter: { status, ...(errorCode !== null && { errorCode }) },
    // That there is no code cannot be asked for, and must not mean every code.
    ...(errorCode === null && { only: (letter) => letter.errorCode === null }),
    count,
  };
}

function Actions({ letter, onDone }: { letter: DeadLetter; onDone(): void }) {
  const unsure = letter.mayHaveBeenDelivered;
  return (
    <Group gap={6} wrap="nowrap">
      <ConfirmButton
        label="Retry"
        size="compact-sm"
        disabled={!letter.contentKept}
        title="Try this email again?"
        confirmLabel="Try again"
        mustAccept={unsure ? 'It may have been delivered already; a second copy is all right.' : undefined}
        act={() =>
          callApi('POST', `/admin/dead-letters/${letter.id}/retry`, { body: { acceptDuplicates: unsure } })
        }
        onDone={onDone}
      >
        “{letter.subject}” goes to {letter.to} again.
      </ConfirmButton>
      <ConfirmButton
        label="Discard"
        size="compact-sm"
        variant="subtle"
        title="Take it off the list?"
        confirmLabel="Discard"
        danger
        act={() => callApi('POST', `/admin/dead-letters/${letter.id}/discard`)}
        onDone={onDone}
      >
        “{letter.subject}” stays in the log as {letter.status} and is not tried again.
      </ConfirmButton>
    </Group>
  );
}
