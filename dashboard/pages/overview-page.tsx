/** What flows now, what waits, how it went, and whether every way out is open. */
import { SegmentedControl, SimpleGrid, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ShownEpisode } from '../../src/alerts/index.js';
import type { Figures } from '../../src/read-figures.js';
import type { Flow } from '../../src/read-flow.js';
import type { Overview } from '../../src/views/index.js';
import { callApi } from '../api/call-api.js';
import { AlertHistory, OpenAlerts } from '../parts/alert-list.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { FailingTypes } from '../parts/failing-types.js';
import { LiveFlow } from '../parts/live-flow.js';
import { OverviewFigures } from '../parts/overview-figures.js';
import { PageHeader } from '../parts/page-header.js';
import { Pauses } from '../parts/pauses.js';
import { QueueByPriority } from '../parts/queue-by-priority.js';
import { RouteTable } from '../parts/route-table.js';
import { SentAndFailed } from '../parts/sent-and-failed.js';
import { Sheet } from '../parts/sheet.js';
import { useUrlState } from '../parts/use-url-state.js';
import { WorkerTable } from '../parts/worker-table.js';

const RANGES = [
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '168', label: '7 days' },
  { value: '720', label: '30 days' },
];

export default function OverviewPage() {
  const [{ hours = '24' }, change] = useUrlState(['hours']);
  const flow = useQuery({
    queryKey: ['flow'],
    queryFn: ({ signal }) => callApi<Flow>('GET', '/admin/flow', { signal }),
    refetchInterval: 1_000,
  });
  const figures = useQuery({
    queryKey: ['figures', hours],
    queryFn: ({ signal }) => callApi<Figures>('GET', '/admin/figures', { query: { hours }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  const overview = useQuery({
    queryKey: ['overview'],
    queryFn: ({ signal }) => callApi<Overview>('GET', '/admin/overview', { signal }),
    refetchInterval: 5_000,
  });
  const alerts = useQuery({
    queryKey: ['alerts'],
    queryFn: ({ signal }) => callApi<{ alerts: ShownEpisode[] }>('GET', '/admin/alerts', { signal }),
    refetchInterval: 10_000,
  });
  const error = flow.error ?? figures.error ?? overview.error ?? alerts.error;
  return (
    <>
      <PageHeader title="Overview" says="What flows, what waits, and whether every way out is open.">
        <SegmentedControl
          size="sm"
          aria-label="Time range"
          data={RANGES}
          value={RANGES.some(({ value }) => value === hours) ? hours : '24'}
          onChange={(value) => change({ hours: value === '24' ? null : value })}
        />
      </PageHeader>
      <Stack gap="md">
        {error && <ErrorNotice error={error} />}
        <OpenAlerts alerts={alerts.data?.alerts ?? []} />
        <Pauses pauses={overview.data?.pauses ?? []} />
        <OverviewFigures flow={flow.data} figures={figures.data} workers={overview.data?.workers} />
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
          <LiveFlow flow={flow.data} />
          <SentAndFailed figures={figures.data} />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
          <Sheet title="Queue by priority" says="What waits, whatever for.">
            <QueueByPriority flow={flow.data} />
          </Sheet>
          <Sheet title="Types that fail most" flush>
            <FailingTypes figures={figures.data} />
          </Sheet>
        </SimpleGrid>
        <RouteTable routes={overview.data?.routes} />
        <WorkerTable workers={overview.data?.workers} />
        <AlertHistory alerts={alerts.data?.alerts} />
      </Stack>
    </>
  );
}
