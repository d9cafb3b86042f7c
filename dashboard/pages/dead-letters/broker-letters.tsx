/**
 * What stands in the broker's own dead-letter queue: mirrors of failed emails and refused messages of other services.
 * Looked at once and when asked: each look takes the messages out and lays them back. Absent where there is no broker.
 */
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { BrokerDeadLetter } from '../../../src/dispatch/index.js';
import { ApiError } from '../../api/api-error.js';
import { callApi } from '../../api/call-api.js';
import { useSession } from '../../api/session.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Sheet } from '../../parts/sheet.js';
import { TimeText } from '../../parts/time-text.js';

export function BrokerLetters() {
  const may = useSession().may('operate');
  const look = useQuery({
    queryKey: ['broker-letters'],
    queryFn: ({ signal }) =>
      callApi<{ total: number; messages: BrokerDeadLetter[] }>('GET', '/admin/broker/dead-letters', {
        query: { limit: 50 },
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  if (look.error instanceof ApiError && look.error.code === 'BROKER_NOT_FOUND') return null;
  const total = look.data?.total ?? 0;
  return (
    <Sheet
      flush
      title="In the broker"
      says={`email.deadLetter.queue, the oldest first${total > 50 ? `; 50 of ${total.toLocaleString()}` : ''}`}
      aside={
        <Button size="compact-sm" variant="default" loading={look.isFetching} onClick={() => look.refetch()}>
          Look again
        </Button>
      }
    >
      <DataTable
        label="Dead letters of the broker"
        rows={look.data?.messages}
        error={look.error}
        onRetry={() => look.refetch()}
        keyOf={(letter) => letter.messageId}
        minWidth={680}
        columns={[
          {
            name: 'Message',
            cell: (letter) => (
              <div className="two-lines">
                <span className="clip subject">{letter.type ?? 'of unknown type'}</span>
                {letter.emailId ? (
                  <Link href={`/emails/${letter.emailId}`} className="clip dim">
                    {letter.messageId}
                  </Link>
                ) : (
                  <span className="clip dim">{letter.messageId}</span>
                )}
              </div>
            ),
          },
          {
            name: 'Error',
            cell: (letter) => (
              <span className="break dim">
                {letter.errorMessage ?? letter.errorCode ?? letter.failureType}
              </span>
            ),
          },
          {
            name: 'Failed',
            width: 100,
            cell: (letter) => (letter.failedAt ? <TimeText at={letter.failedAt} /> : '–'),
          },
          {
            name: '',
            width: 210,
            cell: (letter) => (may ? <Acts letter={letter} onDone={() => look.refetch()} /> : ''),
          },
        ]}
        empty={
          <EmptyState icon="check" title="The queue is empty">
            No message waits in the broker for a person.
          </EmptyState>
        }
      />
    </Sheet>
  );
}

function Acts({ letter, onDone }: { letter: BrokerDeadLetter; onDone(): void }) {
  const messageIds = [letter.messageId];
  return (
    <Group gap={6} wrap="nowrap">
      <ConfirmButton
        label="Put back"
        size="compact-sm"
        title="Put this message back?"
        mustAccept={
          letter.emailId ? 'It may have been delivered already; a second copy is all right.' : undefined
        }
        act={() => requeue(messageIds, letter.emailId !== null)}
        onDone={onDone}
      >
        {letter.emailId
          ? 'Its email gets another round.'
          : 'It is read again, as if the other service had just published it.'}
      </ConfirmButton>
      <ConfirmButton
        label="Remove"
        size="compact-sm"
        variant="subtle"
        title="Remove this message for good?"
        danger
        act={() => callApi('POST', '/admin/broker/dead-letters/purge', { body: { messageIds } })}
        onDone={onDone}
      >
        {letter.emailId ? 'What is known of its email stays in the log.' : 'Nothing else has kept it.'}
      </ConfirmButton>
    </Group>
  );
}

/** What the API left where it was is told like any other refusal. */
async function requeue(messageIds: string[], acceptDuplicates: boolean): Promise<void> {
  const { refused } = await callApi<{ refused: Array<{ reason: string }> }>(
    'POST',
    '/admin/broker/dead-letters/requeue',
    { body: { messageIds, acceptDuplicates } },
  );
  if (refused[0]) throw new Error(`It stays where it is: ${refused[0].reason}.`);
}
