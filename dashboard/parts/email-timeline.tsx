/**
 * Every event of an email in order, with its time, how long after the one before, and what it says; but for the
 * conversation, which stands with its attempt.
 */
import { Code } from '@mantine/core';
import type { EmailEvent } from '../../src/views/index.js';
import { DataTable } from './data-table.js';
import { EmptyState } from './empty-state.js';
import { exactTime } from './time-text.js';

export function EmailTimeline({ events, error }: { events: EmailEvent[] | undefined; error: unknown }) {
  const rows = events?.map((event, at) => ({
    ...event,
    afterMs: at === 0 ? null : Date.parse(event.createdAt) - Date.parse(events[at - 1]!.createdAt),
  }));
  return (
    <DataTable
      label="Events"
      rows={rows}
      error={error}
      keyOf={(event) => String(event.sequence)}
      minWidth={640}
      columns={[
        { name: '#', numeric: true, width: 40, cell: (event) => event.sequence },
        { name: 'Event', width: 190, cell: (event) => <Code>{event.type}</Code> },
        {
          name: 'Time',
          width: 190,
          cell: (event) => <span className="nowrap">{exactTime(event.createdAt)}</span>,
        },
        {
          name: 'After',
          numeric: true,
          width: 90,
          cell: ({ afterMs }) => (afterMs === null || Number.isNaN(afterMs) ? '' : duration(afterMs)),
        },
        { name: 'Says', cell: (event) => <Says metadata={event.metadata} /> },
      ]}
      empty={<EmptyState icon="clock" title="Nothing yet" />}
    />
  );
}

function Says({ metadata }: { metadata: Record<string, unknown> }) {
  const said = Object.entries(metadata).filter(([name, value]) => name !== 'conversation' && value !== null);
  if (said.length === 0) return null;
  return (
    <dl className="says">
      {said.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{valueText(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return value.join(', ');
  return JSON.stringify(value);
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}
