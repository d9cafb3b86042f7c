/** Which events a webhook is told of; none ticked means all of them. */
import { Checkbox, SimpleGrid } from '@mantine/core';
import type { WebhookEndpoint } from '../../../src/events/index.js';

export function EventChoice({ chosen }: { chosen: readonly string[] }) {
  return (
    <Checkbox.Group
      label="Told of"
      description="Everything, where none is ticked."
      defaultValue={[...chosen]}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={6} mt="xs">
        {EVENTS.map((event) => (
          <Checkbox key={event} name="events" value={event} label={event} size="xs" />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  );
}

export function eventsOf(form: FormData): string[] {
  const events = form.getAll('events').map(String);
  return events.length > 0 ? events : [...EVENTS];
}

export function countedEvents({ length }: readonly unknown[]): string {
  return length === EVENTS.length ? 'everything' : `${length} of ${EVENTS.length} events`;
}

/** In the order an email meets them. */
const EVENTS: readonly WebhookEndpoint['events'][number][] = [
  'email.scheduled',
  'email.sent',
  'email.delivered',
  'email.delivery_delayed',
  'email.retrying',
  'email.bounced',
  'email.complained',
  'email.opened',
  'email.clicked',
  'email.unsubscribed',
  'email.failed',
  'email.unknown',
  'email.suppressed',
  'email.canceled',
  'email.expired',
  'webhook.disabled',
];
