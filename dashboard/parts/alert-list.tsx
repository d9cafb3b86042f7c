/** What is wrong now, in the words people are told, and what was lately. */
import { Alert, Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { ShownEpisode } from '../../src/alerts/index.js';
import { DataTable } from './data-table.js';
import { EmptyState } from './empty-state.js';
import { Icon } from './icon.js';
import { Sheet } from './sheet.js';
import { StatusBadge } from './status-badge.js';
import { TimeText } from './time-text.js';

export function OpenAlerts({ alerts }: { alerts: readonly ShownEpisode[] }) {
  const open = alerts.filter(({ endedAt }) => endedAt === null);
  const urgentFirst = [...open].sort((a, b) => Number(b.severity === 'page') - Number(a.severity === 'page'));
  return (
    <>
      {urgentFirst.slice(0, MOST_SHOWN).map(({ id, severity, sentence, action, page, beganAt, tenant }) => (
        <Alert
          key={id}
          role="alert"
          className={severity === 'page' ? 'notice-bad' : 'notice-wait'}
          color={severity === 'page' ? 'var(--tone-bad)' : 'var(--tone-wait)'}
          variant="outline"
          icon={<Icon name="warning" />}
          title={<span className="break">{sentence}</span>}
        >
          <span className="break">{withCommands(action)} </span>
          {page !== '' && (
            <Anchor component={Link} href={`/${page}`}>
              Show it
            </Anchor>
          )}
          <Text size="xs" c="dimmed">
            Began <TimeText at={beganAt} />
            {tenant === null ? ' · concerns every company' : ` · concerns ${tenant}`}
          </Text>
        </Alert>
      ))}
      {open.length > MOST_SHOWN && (
        <Text size="sm" c="dimmed">
          {open.length - MOST_SHOWN} more are open; all of them stand below.
        </Text>
      )}
    </>
  );
}

/** More would push everything else out of sight. */
const MOST_SHOWN = 5;

export function AlertHistory({ alerts }: { alerts: readonly ShownEpisode[] | undefined }) {
  return (
    <Sheet title="Alerts" says="What is wrong now, and what was." aside={<State alerts={alerts} />} flush>
      <DataTable
        label="Alerts"
        rows={alerts}
        keyOf={({ id }) => id}
        columns={[
          {
            name: 'State',
            width: 110,
            cell: ({ endedAt, severity }) =>
              endedAt === null ? (
                <StatusBadge status={severity} tone={severity === 'page' ? 'bad' : 'wait'} label="open" />
              ) : (
                <StatusBadge status="over" tone="good" />
              ),
          },
          { name: 'Alert', wide: true, width: 170, cell: ({ alert }) => alert },
          { name: 'What', cell: ({ sentence }) => <span className="break">{sentence}</span> },
          { name: 'Concerns', wide: true, width: 120, cell: ({ tenant }) => tenant ?? 'every company' },
          { name: 'Since', width: 130, cell: ({ beganAt }) => <TimeText at={beganAt} /> },
          { name: 'Until', wide: true, width: 130, cell: ({ endedAt }) => <TimeText at={endedAt} /> },
        ]}
        empty={
          <EmptyState icon="check" title="All is well">
            Nothing is wrong, and nothing was.
          </EmptyState>
        }
      />
    </Sheet>
  );
}

/** In one word, also where the table is out of sight. */
function State({ alerts }: { alerts: readonly ShownEpisode[] | undefined }) {
  if (alerts === undefined) return null;
  const open = alerts.filter(({ endedAt }) => endedAt === null);
  if (open.length === 0) return <StatusBadge status="over" tone="good" label="all is well" />;
  const tone = open.some(({ severity }) => severity === 'page') ? 'bad' : 'wait';
  return <StatusBadge status="open" tone={tone} label={`${open.length} open`} />;
}

/** What stands between backticks is typed in. */
function withCommands(text: string) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never move
  return text.split('`').map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece));
}
