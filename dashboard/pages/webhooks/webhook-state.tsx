/** Whether a webhook gets through, is failing, or is off, and why. */
import { Stack, Text } from '@mantine/core';
import type { WebhookEndpoint } from '../../../src/events/index.js';
import { StatusBadge } from '../../parts/status-badge.js';
import { TimeText } from '../../parts/time-text.js';

export function WebhookState({ webhook }: { webhook: WebhookEndpoint }) {
  const { status, disabledReason, failingSince } = webhook;
  return (
    <Stack gap={0}>
      <StatusBadge
        status={failingSince && status === 'enabled' ? 'failed' : status}
        {...(failingSince && status === 'enabled' && { label: 'failing' })}
      />
      {failingSince && status === 'enabled' && (
        <Text size="xs" c="dimmed">
          since <TimeText at={failingSince} />
        </Text>
      )}
      {disabledReason && (
        <Text size="xs" c="dimmed" className="break">
          {disabledReason}
        </Text>
      )}
    </Stack>
  );
}
