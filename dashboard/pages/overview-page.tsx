/** What flows now: how much waits, which ways out are open, who works. */
import { useQuery } from '@tanstack/react-query';
import type { Overview } from '../../src/views/index.js';
import { callApi } from '../api/call-api.js';
import { DataTable } from '../parts/data-table.js';
import { EmptyState } from '../parts/empty-state.js';
import { PageHeader } from '../parts/page-header.js';
import { Sheet } from '../parts/sheet.js';
import { StatusBadge } from '../parts/status-badge.js';

export default function OverviewPage() {
  const overview = useQuery({
    queryKey: ['overview'],
    queryFn: ({ signal }) => callApi<Overview>('GET', '/admin/overview', { signal }),
    refetchInterval: 2_000,
  });
  return (
    <>
      <PageHeader title="Overview" says="What flows, what waits, and who works." />
      <Sheet title="Routes" flush>
        <DataTable
          label="Routes"
          rows={overview.data?.routes}
          error={overview.error}
          onRetry={() => overview.refetch()}
          keyOf={(route) => route.name}
          columns={[
            { name: 'Route', cell: (route) => route.name },
            { name: 'Provider', cell: (route) => route.provider },
            {
              name: 'Circuit',
              cell: (route) => <StatusBadge status={route.paused ? 'paused' : route.circuit} />,
            },
            { name: 'Waiting', numeric: true, cell: (route) => route.waiting.toLocaleString() },
          ]}
          empty={
            <EmptyState icon="send" title="No route yet">
              A route appears once a worker has started.
            </EmptyState>
          }
        />
      </Sheet>
    </>
  );
}
