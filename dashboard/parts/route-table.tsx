/** The ways out: whether each is open, how fast it may go, how many wait for it. */
import { Text } from '@mantine/core';
import type { RouteOverview } from '../../src/views/index.js';
import { aboutCount } from './about-count.js';
import { DataTable } from './data-table.js';
import { duration } from './email-timeline.js';
import { EmptyState } from './empty-state.js';
import { Sheet } from './sheet.js';
import { StatusBadge } from './status-badge.js';

export function RouteTable({ routes }: { routes: RouteOverview[] | undefined }) {
  return (
    <Sheet title="Routes" flush>
      <DataTable
        label="Routes"
        rows={routes}
        keyOf={(route) => route.name}
        columns={[
          {
            name: 'Route',
            cell: (route) => (
              <div className="two-lines">
                <b className="clip">{route.name}</b>
                <span className="dim clip">{route.provider ?? 'no worker was started with it'}</span>
              </div>
            ),
          },
          { name: 'Circuit', cell: (route) => <Circuit route={route} /> },
          {
            name: 'Rate',
            wide: true,
            numeric: true,
            cell: (route) => (route.ratePerSecond === null ? 'free' : `${route.ratePerSecond} / s`),
          },
          { name: 'Waiting', numeric: true, cell: (route) => aboutCount(route.waiting, route.estimated) },
        ]}
        empty={
          <EmptyState icon="send" title="No route yet">
            A route appears once a worker has started: postrider serve --roles worker.
          </EmptyState>
        }
      />
    </Sheet>
  );
}

const WORDS = { closed: 'goes', open: 'open', probing: 'probing' } as const;

function Circuit({ route }: { route: RouteOverview }) {
  if (route.paused) return <StatusBadge status="paused" />;
  return (
    <div>
      <StatusBadge status={route.circuit} label={WORDS[route.circuit]} />
      {route.circuit !== 'closed' && (
        <Text size="xs" c="dimmed" className="break">
          {route.reason}
          {route.opensInMs !== null && ` · tried again in ${duration(route.opensInMs)}`}
        </Text>
      )}
    </div>
  );
}
