/**
 * Tries many dead letters again, a hundred at a time, with a bar that says how far it is. Those that may have been
 * delivered already are left alone unless a second copy is expressly accepted.
 */
import { Button, Checkbox, Group, Modal, Progress, Stack, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import type { RetryReport } from '../../src/dead-letters.js';
import type { DeadLetter } from '../../src/views/index.js';
import { callApi } from '../api/call-api.js';
import { ErrorNotice } from './error-notice.js';

export interface RetryJob {
  /** As in a sentence: "every dead letter". */
  what: string;
  filter: Record<string, string>;
  /** Which of those, where a filter cannot say it. */
  only?: (letter: DeadLetter) => boolean;
  /** How many there were when it was asked for. */
  count: number;
}

interface Run {
  done: number;
  retried: number;
  refused: Record<string, number>;
  state: 'running' | 'ended' | 'stopped';
  error: unknown;
}

const PART = 100;
const REASONS: Record<string, string> = {
  'needs-confirmation': 'may have been delivered and were left alone',
  'content-gone': 'have no content any more',
  expired: 'have expired',
  'not-found': 'are gone',
};

export function BulkRetry({ job, onClose, onDone }: { job: RetryJob; onClose(): void; onDone(): void }) {
  const { what, count } = job;
  const [acceptDuplicates, setAcceptDuplicates] = useState(false);
  const [run, setRun] = useState<Run | null>(null);
  const stopped = useRef(false);

  const begin = async () => {
    stopped.current = false;
    const now: Run = { done: 0, retried: 0, refused: {}, state: 'running', error: null };
    setRun({ ...now });
    try {
      for await (const emailIds of pagesOf(job)) {
        if (stopped.current) break;
        const report = await callApi<RetryReport>('POST', '/admin/dead-letters/retry', {
          body: { emailIds, acceptDuplicates },
        });
        now.done += emailIds.length;
        now.retried += report.retried;
        for (const [reason, times] of Object.entries(report.refused))
          now.refused[reason] = (now.refused[reason] ?? 0) + (times ?? 0);
        setRun({ ...now, refused: { ...now.refused } });
      }
      now.state = stopped.current ? 'stopped' : 'ended';
    } catch (error) {
      now.state = 'stopped';
      now.error = error;
    }
    setRun({ ...now });
    onDone();
  };
  const leave = () => {
    stopped.current = true;
    onClose();
  };
  const share = run ? Math.min(100, (run.done / Math.max(1, count)) * 100) : 0;
  return (
    <Modal opened onClose={leave} title={`Try ${what} again?`} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
        {run === null ? (
          <>
            <Text>
              {count.toLocaleString()} {count === 1 ? 'email goes' : 'emails go'} back into the queue, as many
              as are still there.
            </Text>
            <Checkbox
              label="Also those that may have been delivered already; second copies are all right."
              checked={acceptDuplicates}
              onChange={(event) => setAcceptDuplicates(event.currentTarget.checked)}
            />
          </>
        ) : (
          <>
            <Progress
              value={run.state === 'ended' ? 100 : share}
              aria-label="How far it is"
              animated={run.state === 'running'}
            />
            <div role="status">
              <Text>
                {run.retried.toLocaleString()} of {Math.max(count, run.done).toLocaleString()} go again
                {run.state === 'stopped' && '; stopped'}.
              </Text>
              {Object.entries(run.refused).map(([reason, times]) => (
                <Text key={reason} size="sm" c="dimmed">
                  {times.toLocaleString()} {REASONS[reason] ?? reason}
                </Text>
              ))}
            </div>
            {run.error !== null && <ErrorNotice error={run.error} />}
          </>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={leave}>
            {run === null ? 'Leave it' : run.state === 'running' ? 'Stop' : 'Close'}
          </Button>
          {run === null && <Button onClick={begin}>Try again</Button>}
        </Group>
      </Stack>
    </Modal>
  );
}

/** As they stand when their page is read; what is retried is no longer on the next one. */
async function* pagesOf({ filter, only = () => true }: RetryJob): AsyncGenerator<string[]> {
  let cursor: string | null = null;
  do {
    const page: { deadLetters: DeadLetter[]; nextCursor: string | null } = await callApi(
      'GET',
      '/admin/dead-letters',
      { query: { ...filter, cursor, limit: PART } },
    );
    const meant = page.deadLetters.filter(only);
    if (meant.length > 0) yield meant.map(({ id }) => id);
    cursor = page.nextCursor;
  } while (cursor !== null);
}
