/** One webhook: how it stands, and every delivery with the requests that were made for it. */
import { Anchor, Group, NativeSelect, Skeleton, Stack, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import type { DeliveryPage, WebhookDelivery, WebhookEndpoint } from '../../src/events/index.js';
import { callApi } from '../api/call-api.js';
import { useSession } from '../api/session.js';
import { CopyText } from '../parts/copy-text.js';
import { DataTable } from '../parts/data-table.js';
import { EmptyState } from '../parts/empty-state.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Facts } from '../parts/facts.js';
import { FormButton } from '../parts/form-button.js';
import { textOf } from '../parts/form-values.js';
import { PageHeader } from '../parts/page-header.js';
import { PageTurner } from '../parts/page-turner.js';
import { Sheet } from '../parts/sheet.js';
import { TimeText } from '../parts/time-text.js';
import { usePathPart } from '../parts/use-path-part.js';
import { useUrlState } from '../parts/use-url-state.js';
import { DeliveryStatus, LookAtDelivery, ReplayDelivery } from './webhooks/delivery-detail.js';
import { WebhookActs } from './webhooks/webhook-acts.js';
import { WebhookState } from './webhooks/webhook-state.js';

export default function WebhookPage() {
  const id = usePathPart('id');
  const session = useSession();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [filter, change] = useUrlState(['status', 'cursor']);
  const path = `/admin/webhooks/${encodeURIComponent(id)}`;
  const webhook = useQuery({
    queryKey: ['webhook', id],
    queryFn: ({ signal }) => callApi<WebhookEndpoint>('GET', path, { signal }),
  });
  const deliveries = useQuery({
    queryKey: ['deliveries', id, filter],
    queryFn: ({ signal }) =>
      callApi<DeliveryPage>('GET', `${path}/deliveries`, { query: { ...filter, limit: 50 }, signal }),
    refetchInterval: (query) => (query.state.data?.deliveries.some(isMoving) ? 2_000 : false),
  });
  const again = () => {
    queries.invalidateQueries({ queryKey: ['webhook', id] });
    queries.invalidateQueries({ queryKey: ['webhooks'] });
    queries.invalidateQueries({ queryKey: ['deliveries', id] });
  };
  if (webhook.error && !webhook.data)
    return (
      <>
        <PageHeader title="Webhook" />
        <ErrorNotice error={webhook.error} onRetry={() => webhook.refetch()} />
      </>
    );
  // All of it at once, since how much is said of a webhook is not known before.
  if (!webhook.data)
    return (
      <>
        <PageHeader title="Webhook" />
        <Skeleton h={640} radius="md" role="status" aria-label="Loading" />
      </>
    );
  const mayAct = session.may('operate');
  return (
    <Stack gap="md">
      <PageHeader title="Webhook" says={<span className="break">{webhook.data.url}</span>}>
        {mayAct && <WebhookActs webhook={webhook.data} onDone={again} onGone={() => navigate('/webhooks')} />}
      </PageHeader>
      <Sheet>
        <Facts
          facts={[
            ['State', <WebhookState key="state" webhook={webhook.data} />],
            ['Company', webhook.data.companyId],
            ['Description', webhook.data.description],
            ['Since', <TimeText key="since" at={webhook.data.createdAt} />],
            ['Id', <CopyText key="id" value={webhook.data.id} label="the id" />],
            ['Told of', webhook.data.events.join(', ')],
          ]}
        />
      </Sheet>
      <Sheet
        title="Deliveries"
        says="Newest first; each is tried again until it gets through or is given up."
        flush
        aside={
          <Group gap="sm" align="flex-end">
            <NativeSelect
              aria-label="Which deliveries"
              size="xs"
              value={filter.status ?? ''}
              onChange={(event) => change({ status: event.currentTarget.value, cursor: null })}
              data={[
                { value: '', label: 'all' },
                { value: 'pending', label: 'pending' },
                { value: 'success', label: 'success' },
                { value: 'failed', label: 'failed' },
              ]}
            />
            {mayAct && <ReplayRange path={path} onDone={again} />}
          </Group>
        }
      >
        <DataTable
          label="Deliveries"
          rows={deliveries.data?.deliveries}
          error={deliveries.error}
          onRetry={() => deliveries.refetch()}
          keyOf={(delivery) => delivery.id}
          minWidth={720}
          columns={[
            { name: 'When', cell: ({ createdAt }) => <TimeText at={createdAt} /> },
            { name: 'Event', cell: ({ type }) => type },
            { name: 'Status', cell: ({ status }) => <DeliveryStatus status={status} /> },
            { name: 'Tries', numeric: true, cell: ({ attempts }) => attempts },
            {
              name: 'Next try',
              cell: ({ nextAttemptAt, status }) =>
                status === 'pending' && nextAttemptAt ? <TimeText at={nextAttemptAt} /> : null,
            },
            {
              name: 'Email',
              cell: ({ emailId }) =>
                emailId && (
                  <Anchor component={Link} href={`/emails/${emailId}`} size="sm">
                    Open
                  </Anchor>
                ),
            },
            {
              name: 'Requests',
              cell: (delivery) => (
                <Group gap="xs" wrap="nowrap">
                  <LookAtDelivery path={path} delivery={delivery} />
                  {mayAct && <ReplayDelivery path={path} delivery={delivery} onDone={again} />}
                </Group>
              ),
            },
          ]}
          empty={
            <EmptyState
              icon="hook"
              title={filter.status ? `None is ${filter.status}` : 'Nothing was told yet'}
            >
              {filter.status
                ? 'Choose all to see the others.'
                : 'As soon as something happens to an email of this company, a delivery stands here.'}
            </EmptyState>
          }
        />
      </Sheet>
      <PageTurner
        current={filter.cursor}
        next={deliveries.data?.nextCursor}
        onTurn={(cursor) => change({ cursor })}
      />
    </Stack>
  );
}

function isMoving({ status }: WebhookDelivery): boolean {
  return status === 'pending' || status === 'attempting';
}

function ReplayRange({ path, onDone }: { path: string; onDone(): void }) {
  return (
    <FormButton
      label="Replay many"
      icon="retry"
      size="xs"
      title="Replay deliveries"
      submitLabel="Replay"
      act={(form) =>
        callApi<{ replayed: number }>('POST', `${path}/replay`, {
          body: { since: instantOf(textOf(form, 'since')), status: textOf(form, 'status') },
        })
      }
      onDone={onDone}
      reveal={({ replayed }) => (
        <p>
          {replayed === 0
            ? 'There was none of that kind since then.'
            : `${replayed.toLocaleString()} will be told again, each with the same webhook-id.`}
        </p>
      )}
    >
      <TextInput name="since" label="Since" type="datetime-local" required data-autofocus />
      <NativeSelect
        name="status"
        label="Which"
        data={[
          { value: 'failed', label: 'those that failed' },
          { value: 'all', label: 'all of them, also what got through' },
        ]}
      />
    </FormButton>
  );
}

/** The field says local time. */
function instantOf(local: string): string {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? local : at.toISOString();
}
