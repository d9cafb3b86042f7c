/** One schedule and its runs, newest first: how far each came, whom it passed over, what went wrong. */
import { NativeSelect, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { callApi } from '../api/call-api.js';
import { useSession } from '../api/session.js';
import { DataTable } from '../parts/data-table.js';
import { EmptyState } from '../parts/empty-state.js';
import { Facts } from '../parts/facts.js';
import { PageHeader } from '../parts/page-header.js';
import { Sheet } from '../parts/sheet.js';
import { StatusBadge } from '../parts/status-badge.js';
import { TimeText } from '../parts/time-text.js';
import { usePathPart } from '../parts/use-path-part.js';
import { useUrlState } from '../parts/use-url-state.js';
import { RunProgress } from './schedules/run-progress.js';
import type { RunSeen, Scheduled } from './schedules/run-seen.js';
import { ScheduleActs } from './schedules/schedule-acts.js';

export default function SchedulePage() {
  const name = usePathPart('name');
  const [filter, change] = useUrlState(['state']);
  const session = useSession();
  const queries = useQueryClient();
  const schedules = useQuery({
    queryKey: ['schedules'],
    queryFn: ({ signal }) => callApi<{ schedules: Scheduled[] }>('GET', '/admin/schedules', { signal }),
  });
  const runs = useQuery({
    queryKey: ['runs', name, filter.state ?? ''],
    queryFn: ({ signal }) =>
      callApi<{ runs: RunSeen[] }>('GET', `/admin/schedules/${encodeURIComponent(name)}/runs`, {
        query: { state: filter.state, limit: 50 },
        signal,
      }),
    refetchInterval: (query) =>
      query.state.data?.runs.some(({ state }) => state === 'running') ? 1_000 : 15_000,
  });
  const again = () => {
    queries.invalidateQueries({ queryKey: ['schedules'] });
    queries.invalidateQueries({ queryKey: ['runs', name] });
  };
  const schedule = schedules.data?.schedules.find((one) => one.name === name);
  return (
    <Stack gap="md">
      <PageHeader title={name} says="A schedule">
        {schedule && session.may('operate') && <ScheduleActs schedule={schedule} size="sm" onDone={again} />}
        {schedules.isPending && session.may('operate') && <Skeleton h={36} w={200} />}
      </PageHeader>
      {(schedule || schedules.isPending) && (
        <Sheet>
          <Facts facts={factsOf(schedule)} />
        </Sheet>
      )}
      <Sheet
        title="Runs"
        flush
        aside={
          <NativeSelect
            aria-label="Which runs"
            size="xs"
            value={filter.state ?? ''}
            onChange={(event) => change({ state: event.currentTarget.value })}
            data={[
              { value: '', label: 'all' },
              ...['running', 'done', 'failed', 'expired'].map((value) => ({ value, label: value })),
            ]}
          />
        }
      >
        <DataTable
          label="Runs"
          rows={runs.data?.runs}
          error={runs.error}
          onRetry={() => runs.refetch()}
          keyOf={({ runId }) => runId}
          minWidth={720}
          columns={[
            { name: 'Run', cell: (run) => <RunProgress run={run} />, width: '36%' },
            { name: 'Zone', cell: ({ zone }) => zone },
            { name: 'Why', cell: ({ manual }) => (manual ? 'told to' : 'due') },
            { name: 'Passed over', cell: ({ skipped }) => <Skipped counts={skipped} /> },
            { name: 'Errors', cell: (run) => <Errors run={run} /> },
          ]}
          empty={
            <EmptyState icon="clock" title={filter.state ? `None is ${filter.state}` : 'It has not run yet'}>
              {filter.state
                ? 'Choose all to see the others.'
                : 'A run stands here once it was due or told to.'}
            </EmptyState>
          }
        />
      </Sheet>
    </Stack>
  );
}

/** The same names while they are waited for, so that nothing below jumps. */
function factsOf(schedule: Scheduled | undefined): Array<[string, ReactNode]> {
  const facts: Array<[string, (known: Scheduled) => ReactNode]> = [
    ['State', ({ paused }) => <StatusBadge status={paused ? 'paused' : 'active'} />],
    ['Times', ({ cron }) => cron ?? 'only when told to'],
    ['Time zone', ({ timeZone }) => timeZone],
    ['After downtime', ({ catchUp }) => catchUp],
    ['Next', ({ next }) => (next ? <TimeText at={next} /> : 'not known yet')],
  ];
  return facts.map(([name, read]) => [name, schedule ? read(schedule) : '…']);
}

function Skipped({ counts }: { counts: Record<string, number> }) {
  const said = Object.entries(counts).filter(([, count]) => count > 0);
  if (said.length === 0) return null;
  return (
    <Stack gap={0}>
      {said.map(([reason, count]) => (
        <Text key={reason} size="sm">
          {count.toLocaleString()} {reason}
        </Text>
      ))}
    </Stack>
  );
}

function Errors({ run: { errors, errorCount } }: { run: RunSeen }) {
  if (errorCount === 0) return null;
  return (
    <Stack gap={2}>
      {errors.slice(0, 3).map((error) => (
        <Text key={error.recipientId} size="sm" className="break">
          {error.code}: {error.message}
        </Text>
      ))}
      {errorCount > 3 && (
        <Text size="xs" c="dimmed">
          and {(errorCount - 3).toLocaleString()} more
        </Text>
      )}
    </Stack>
  );
}
