/** One delivery looked at: the body as it is sent, every request with its answer, and the button that sends it again. */
import { Button, Modal, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { DeliveryAttempt, DeliveryDetail, WebhookDelivery } from '../../../src/events/index.js';
import { callApi } from '../../api/call-api.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { ErrorNotice } from '../../parts/error-notice.js';
import { StatusBadge } from '../../parts/status-badge.js';
import { exactTime } from '../../parts/time-text.js';

export function DeliveryStatus({ status }: { status: WebhookDelivery['status'] }) {
  const tone = { success: 'good', failed: 'bad', pending: 'wait', attempting: 'calm' } as const;
  return <StatusBadge status={status} tone={tone[status]} />;
}

export function LookAtDelivery({ path, delivery }: { path: string; delivery: WebhookDelivery }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={open}>
        Look
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        size="lg"
        title={`${delivery.type}, ${exactTime(delivery.createdAt)}`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Detail path={`${path}/deliveries/${delivery.id}`} />
      </Modal>
    </>
  );
}

function Detail({ path }: { path: string }) {
  const detail = useQuery({
    queryKey: ['delivery', path],
    queryFn: ({ signal }) => callApi<DeliveryDetail>('GET', path, { signal }),
  });
  if (detail.error) return <ErrorNotice error={detail.error} onRetry={() => detail.refetch()} />;
  if (!detail.data) return <Text c="dimmed">Loading…</Text>;
  const { payload, requests } = detail.data;
  return (
    <Stack gap="sm">
      <Title order={3} size="h6">
        Requests
      </Title>
      {requests.length === 0 && <Text c="dimmed">None was made yet.</Text>}
      {requests.map((request) => (
        <Request key={request.id} request={request} />
      ))}
      <Title order={3} size="h6">
        Body
      </Title>
      <pre className="source">{JSON.stringify(payload, null, 2)}</pre>
    </Stack>
  );
}

function Request({ request }: { request: DeliveryAttempt }) {
  const { httpStatus, error, response, durationMs, sentAt } = request;
  const arrived = httpStatus !== null && httpStatus >= 200 && httpStatus < 300;
  return (
    <div>
      <Text size="sm">
        <StatusBadge
          status={arrived ? 'sent' : 'failed'}
          label={httpStatus === null ? 'no answer' : `answered ${httpStatus}`}
        />{' '}
        · {exactTime(sentAt)} · {Math.round(durationMs)} ms
      </Text>
      {error && (
        <Text size="sm" className="break">
          {error}
        </Text>
      )}
      {response && <pre className="source">{response}</pre>}
    </div>
  );
}

export interface ReplayDeliveryProps {
  path: string;
  delivery: WebhookDelivery;
  onDone(): void;
}

export function ReplayDelivery({ path, delivery, onDone }: ReplayDeliveryProps) {
  return (
    <ConfirmButton
      label="Replay"
      size="compact-sm"
      title="Tell it again?"
      disabled={delivery.status === 'attempting'}
      act={() => callApi('POST', `${path}/deliveries/${delivery.id}/replay`)}
      onDone={onDone}
    >
      {delivery.type} is sent again with the same webhook-id, from the first try on.
    </ConfirmButton>
  );
}
