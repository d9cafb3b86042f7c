/** Recurring emails and campaigns: when each runs next, how its last run went, and the switches. */
import { Anchor, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { callApi } from '../api/call-api.js';
import { useSession } from '../api/session.js';
import { DataTable } from '../parts/data-table.js';
import { EmptyState } from '../parts/empty-state.js';
import { PageHeader } from '../parts/page-header.js';
import { Sheet } from '../parts/sheet.js';
import { StatusBadge } from '../parts/status-badge.js';
import { TimeText } from '../parts/time-text.js';
import { RunProgress } from './schedules/run-progress.js';
import type { Scheduled } from './schedules/run-seen.js';
import { ScheduleActs } from './schedules/schedule-acts.js';

export default function SchedulesPage() {
  const session = useSession();
  const queries = useQueryClient();
  const schedules = useQuery({
    queryKey: ['schedules'],
    queryFn: ({ signal }) => callApi<{ schedules: Scheduled[] }>('GET', '/admin/schedules', { signal }),
    refetchInterval: (query) =>
      query.state.data?.schedules.some(({ last }) => last?.state === 'running') ? 2_000 : 15_000,
  });
  const again = () => queries.invalidateQueries({ queryKey: ['schedules'] });
  return (
    <>
      <PageHeader
        title="Schedules and campaigns"
        says="What is sent by the clock. Some process has to run them: postrider serve with the role scheduler, or postrider dev."
      />
      <Sheet flush>
        <DataTable
          label="Schedules"
          rows={schedules.data?.schedules}
          error={schedules.error}
          onRetry={() => schedules.refetch()}
          keyOf={({ name }) => name}
          minWidth={820}
          columns={[
            { name: 'Schedule', cell: (schedule) => <Name {...schedule} /> },
            {
              name: 'State',
              cell: ({ paused }) => (
                <StatusBadge status={paused ? 'paused' : 'active'} label={paused ? 'paused' : 'on'} />
              ),
            },
            { name: 'Next', cell: ({ next }) => next && <TimeText at={next} /> },
            { name: 'Last run', cell: ({ last }) => last && <RunProgress run={last} />, width: '34%' },
            ...(session.may('operate')
              ? [
                  {
                    name: 'Do',
                    cell: (schedule: Scheduled) => <ScheduleActs schedule={schedule} onDone={again} />,
                  },
                ]
              : []),
          ]}
          empty={
            <EmptyState icon="clock" title="No schedule">
              Schedules are declared in the application, or turned on in the settings.
            </EmptyState>
          }
        />
      </Sheet>
    </>
  );
}

function Name({ name, cron, timeZone }: Scheduled) {
  return (
    <Stack gap={2}>
      <Anchor component={Link} href={`/schedules/${encodeURIComponent(name)}`} size="sm" fw={600}>
        {name}
      </Anchor>
      <Group gap={6}>
        {cron === null ? (
          <Text size="xs" c="dimmed">
            only when told to
          </Text>
        ) : (
          <>
            <Code>{cron}</Code>
            <Text size="xs" c="dimmed">
              {timeZone === 'recipient' ? "in each person's time zone" : timeZone}
            </Text>
          </>
        )}
      </Group>
    </Stack>
  );
}
