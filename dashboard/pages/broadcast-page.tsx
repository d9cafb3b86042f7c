/** One broadcast: to whom it goes, how far it has come, whom it passed over, and what it says. Shown, never run. */
import { Skeleton, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { BroadcastDetail } from '../../src/views/index.js';
import { callApi } from '../api/call-api.js';
import { useSession } from '../api/session.js';
import { EmptyState } from '../parts/empty-state.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Facts } from '../parts/facts.js';
import { HtmlFrame } from '../parts/html-frame.js';
import { PageHeader } from '../parts/page-header.js';
import { Sheet } from '../parts/sheet.js';
import { StatusBadge } from '../parts/status-badge.js';
import { TimeText } from '../parts/time-text.js';
import { usePathPart } from '../parts/use-path-part.js';
import { BROADCAST_TONE, TakeBack } from './broadcasts/take-back.js';
import { RunProgress } from './schedules/run-progress.js';

export default function BroadcastPage() {
  const id = usePathPart('id');
  const session = useSession();
  const queries = useQueryClient();
  const broadcast = useQuery({
    queryKey: ['broadcasts', 'one', id],
    queryFn: ({ signal }) =>
      callApi<BroadcastDetail>('GET', `/admin/broadcasts/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: (query) => (query.state.data?.status === 'sending' ? 1_000 : false),
  });
  const { data } = broadcast;
  return (
    <Stack gap="md">
      <PageHeader title={data?.name ?? 'Broadcast'} says={data?.subject ?? '\u00a0'}>
        {data?.status === 'scheduled' && session.may('operate') && (
          <TakeBack broadcast={data} onDone={() => queries.invalidateQueries({ queryKey: ['broadcasts'] })} />
        )}
      </PageHeader>
      {broadcast.error && !data ? (
        <ErrorNotice error={broadcast.error} onRetry={() => broadcast.refetch()} />
      ) : data ? (
        <Seen broadcast={data} />
      ) : (
        <Skeleton h={640} radius="md" />
      )}
    </Stack>
  );
}

function Seen({ broadcast }: { broadcast: BroadcastDetail }) {
  const { companyId, status, segment, from, scheduledAt, createdAt, run, html, text } = broadcast;
  const passedOver = Object.entries(run?.skipped ?? {}).map(
    ([reason, count]) => `${count.toLocaleString()} ${reason}`,
  );
  return (
    <>
      <Sheet>
        <Facts
          facts={[
            ['Status', <StatusBadge key="status" status={status} tone={BROADCAST_TONE[status]} />],
            ['Company', companyId],
            ['Segment', segment && (segment.name ?? 'removed')],
            ['From', from],
            ['Goes at', scheduledAt && <TimeText at={scheduledAt} />],
            ['Made', <TimeText key="made" at={createdAt} />],
            ['How far', run && <RunProgress run={run} />],
            ['Passed over', passedOver.join(' · ')],
          ]}
        />
      </Sheet>
      <Sheet title="What it says" says="Placeholders are filled for each person when their email is written.">
        {html !== null ? (
          <HtmlFrame html={html} title="The broadcast as it looks" />
        ) : text !== null ? (
          <pre className="source">{text}</pre>
        ) : (
          <EmptyState icon="page" title="Nothing yet">
            Its application has given it neither HTML nor text.
          </EmptyState>
        )}
      </Sheet>
    </>
  );
}
