/** What can be done with one webhook: change it, renew its secret, turn it off and on, remove it. */
import { NumberInput, TextInput } from '@mantine/core';
import type { WebhookEndpoint } from '../../../src/events/index.js';
import { callApi } from '../../api/call-api.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { FormButton } from '../../parts/form-button.js';
import { numberOf, textOf } from '../../parts/form-values.js';
import { ShownOnce } from '../../parts/shown-once.js';
import { EventChoice, eventsOf } from './event-choice.js';

export interface WebhookActsProps {
  webhook: WebhookEndpoint;
  onDone(): void;
  onGone(): void;
}

export function WebhookActs({ webhook, onDone, onGone }: WebhookActsProps) {
  const { id, url, description, events, status } = webhook;
  const path = `/admin/webhooks/${id}`;
  const enabled = status === 'enabled';
  return (
    <>
      <FormButton
        label="Edit"
        title="Change the webhook"
        submitLabel="Save"
        act={(form) =>
          callApi('PATCH', path, {
            body: {
              url: textOf(form, 'url'),
              description: textOf(form, 'description') || null,
              events: eventsOf(form),
            },
          })
        }
        onDone={onDone}
      >
        <TextInput name="url" label="URL" type="url" defaultValue={url} required data-autofocus />
        <TextInput name="description" label="Description" defaultValue={description ?? ''} />
        <EventChoice chosen={events} />
      </FormButton>
      <FormButton
        label="New secret"
        icon="key"
        title="A new signing secret"
        submitLabel="Make it"
        act={(form) =>
          callApi<{ secret: string }>('POST', `${path}/rotate`, {
            body: { overlapHours: numberOf(form, 'overlapHours') ?? 0 },
          })
        }
        onDone={onDone}
        reveal={({ secret }) => <ShownOnce value={secret} label="the signing secret" />}
      >
        <NumberInput
          name="overlapHours"
          label="Hours the old one goes on signing too"
          defaultValue={24}
          min={0}
          max={168}
        />
      </FormButton>
      <ConfirmButton
        label={enabled ? 'Disable' : 'Enable'}
        icon={enabled ? 'pause' : 'play'}
        title={enabled ? 'Disable the webhook?' : 'Enable the webhook?'}
        act={() => callApi('PATCH', path, { body: { status: enabled ? 'disabled' : 'enabled' } })}
        onDone={onDone}
      >
        {enabled
          ? 'Nothing is sent to it until it is enabled again.'
          : 'What happens from now on is told again; what it missed can be replayed.'}
      </ConfirmButton>
      <ConfirmButton
        label="Remove"
        icon="trash"
        title="Remove the webhook?"
        danger
        act={() => callApi('DELETE', path)}
        onDone={onGone}
      >
        Its deliveries and its secret go with it.
      </ConfirmButton>
    </>
  );
}
