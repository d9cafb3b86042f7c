/** Which types fail, the most first, with the way to their dead letters. */
import { Link } from 'wouter';
import type { Figures } from '../../src/read-figures.js';
import { DataTable } from './data-table.js';
import { EmptyState } from './empty-state.js';

export function FailingTypes({ figures }: { figures: Figures | undefined }) {
  return (
    <DataTable
      label="Types that fail most"
      rows={figures?.failing}
      keyOf={({ type }) => type}
      minWidth={300}
      columns={[
        {
          name: 'Type',
          cell: ({ type }) =>
            type === '(none)' ? (
              'no type'
            ) : (
              <Link href={`/emails?status=failed&type=${encodeURIComponent(type)}`} className="clip subject">
                {type}
              </Link>
            ),
        },
        { name: 'Failed', numeric: true, width: 80, cell: ({ failed }) => failed.toLocaleString() },
        {
          name: 'Of',
          numeric: true,
          width: 90,
          cell: ({ sent, failed }) =>
            `${(Math.round((failed / (sent + failed)) * 1000) / 10).toLocaleString()} %`,
        },
      ]}
      empty={
        <EmptyState icon="check" title="None">
          No type failed in this time.
        </EmptyState>
      }
    />
  );
}
