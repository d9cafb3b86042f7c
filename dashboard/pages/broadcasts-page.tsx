/** Emails to whole segments: whose, to whom, how far each has come, and the way back for one that has not begun. */
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { BroadcastSeen } from '../../src/views/index.js';
import { useSession } from '../api/session.js';
import { CompanyField } from '../parts/company-field.js';
import { DataTable } from '../parts/data-table.js';
import { EmptyState } from '../parts/empty-state.js';
import { PageHeader } from '../parts/page-header.js';
import { PageTurner } from '../parts/page-turner.js';
import { Sheet } from '../parts/sheet.js';
import { StatusBadge } from '../parts/status-badge.js';
import { TimeText } from '../parts/time-text.js';
import { useList } from '../parts/use-list.js';
import { useUrlState } from '../parts/use-url-state.js';
import { BROADCAST_TONE, TakeBack } from './broadcasts/take-back.js';
import { RunProgress } from './schedules/run-progress.js';

export default function BroadcastsPage() {
  const [filter, change] = useUrlState(['companyId', 'cursor']);
  const session = useSession();
  const { answer, asked, again } = useList<Broadcasts>('broadcasts', '/admin/broadcasts', {
    query: filter,
    everyMs: (known) =>
      known?.broadcasts.some(({ status }) => status === 'sending') ? UNDER_WAY_MS : AT_REST_MS,
  });
  return (
    <>
      <PageHeader title="Broadcasts" says="One email to everyone of a segment." />
      <Group mb="md">
        <CompanyField
          value={filter.companyId}
          empty="every company"
          onChange={(companyId) => change({ companyId, cursor: null })}
        />
      </Group>
      <Sheet flush>
        <DataTable
          label="Broadcasts"
          rows={answer?.broadcasts}
          {...asked}
          keyOf={({ id }) => id}
          minWidth={760}
          columns={[
            { name: 'Broadcast', cell: (broadcast) => <Name {...broadcast} /> },
            { name: 'Company', cell: ({ companyId }) => <span className="break">{companyId}</span> },
            {
              name: 'Segment',
              cell: ({ segment }) => segment && <span className="break">{segment.name ?? 'removed'}</span>,
            },
            {
              name: 'Status',
              cell: ({ status }) => <StatusBadge status={status} tone={BROADCAST_TONE[status]} />,
            },
            {
              name: 'When',
              cell: ({ run, scheduledAt }) =>
                run ? <RunProgress run={run} /> : scheduledAt && <TimeText at={scheduledAt} />,
              width: '30%',
            },
            ...(session.may('operate')
              ? [
                  {
                    name: 'Do',
                    cell: (broadcast: BroadcastSeen) =>
                      broadcast.status === 'scheduled' && <TakeBack broadcast={broadcast} onDone={again} />,
                  },
                ]
              : []),
          ]}
          empty={
            <EmptyState icon="send" title="No broadcast yet">
              Applications make them with Resend's client or its API under /resend/broadcasts.
            </EmptyState>
          }
        />
      </Sheet>
      <PageTurner current={filter.cursor} next={answer?.nextCursor} onTurn={(cursor) => change({ cursor })} />
    </>
  );
}

interface Broadcasts {
  broadcasts: BroadcastSeen[];
  nextCursor: string | null;
}

const UNDER_WAY_MS = 1_000;
const AT_REST_MS = 15_000;

function Name({ id, name, subject }: BroadcastSeen) {
  return (
    <Stack gap={0}>
      <Anchor component={Link} href={`/broadcasts/${id}`} size="sm" fw={600} className="break">
        {name}
      </Anchor>
      <Text size="sm" c="dimmed" className="break">
        {subject ?? 'no subject yet'}
      </Text>
    </Stack>
  );
}
