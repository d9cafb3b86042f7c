/** Who works, and who has gone quiet. */
import type { Overview } from '../../src/views/index.js';
import { DataTable } from './data-table.js';
import { duration } from './email-timeline.js';
import { EmptyState } from './empty-state.js';
import { Sheet } from './sheet.js';
import { StatusBadge } from './status-badge.js';

export function WorkerTable({ workers }: { workers: Overview['workers'] | undefined }) {
  return (
    <Sheet title="Workers" flush>
      <DataTable
        label="Workers"
        rows={workers}
        keyOf={(worker) => String(worker.id)}
        columns={[
          { name: 'Worker', cell: (worker) => <b className="break">{worker.name}</b> },
          { name: 'Host', wide: true, cell: (worker) => `${worker.host} · ${worker.pid}` },
          {
            name: 'State',
            width: 110,
            cell: (worker) => <StatusBadge status={worker.alive ? 'alive' : 'gone'} />,
          },
          {
            name: 'Last beat',
            numeric: true,
            width: 120,
            cell: (worker) => `${duration(worker.beatAgeMs)} ago`,
          },
        ]}
        empty={
          <EmptyState icon="warning" title="Nobody works">
            Emails are accepted and kept, and none goes out: start postrider serve --roles worker.
          </EmptyState>
        }
      />
    </Sheet>
  );
}
