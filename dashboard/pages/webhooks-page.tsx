/** Where tenants are told what became of their emails. */
import { Anchor, Group, Stack, Text, TextInput } from '@mantine/core';
import { Link } from 'wouter';
import type { WebhookEndpoint } from '../../src/events/index.js';
import { callApi } from '../api/call-api.js';
import { useSession } from '../api/session.js';
import { CompanyField } from '../parts/company-field.js';
import { DataTable } from '../parts/data-table.js';
import { EmptyState } from '../parts/empty-state.js';
import { FormButton } from '../parts/form-button.js';
import { given } from '../parts/form-values.js';
import { PageHeader } from '../parts/page-header.js';
import { Sheet } from '../parts/sheet.js';
import { ShownOnce } from '../parts/shown-once.js';
import { TimeText } from '../parts/time-text.js';
import { useList } from '../parts/use-list.js';
import { useUrlState } from '../parts/use-url-state.js';
import { countedEvents, EventChoice, eventsOf } from './webhooks/event-choice.js';
import { WebhookState } from './webhooks/webhook-state.js';

export default function WebhooksPage() {
  const session = useSession();
  const [{ companyId }, change] = useUrlState(['companyId']);
  const { answer, asked, again } = useList<{ webhooks: WebhookEndpoint[] }>('webhooks', '/admin/webhooks', {
    query: { companyId },
  });
  return (
    <>
      <PageHeader
        title="Webhooks"
        says="Addresses that are told what became of emails, with signed requests that are repeated until they get through."
      >
        {session.may('operate') && (
          <FormButton
            label="Add a webhook"
            icon="plus"
            main
            title="Add a webhook"
            act={(form) =>
              callApi<WebhookEndpoint & { secret: string }>('POST', '/admin/webhooks', {
                body: { ...given(form, 'url', 'description', 'companyId'), events: eventsOf(form) },
              })
            }
            onDone={again}
            reveal={({ secret }) => <ShownOnce value={secret} label="the signing secret" />}
          >
            <TextInput name="url" label="URL" placeholder="https://" type="url" required data-autofocus />
            <TextInput
              name="companyId"
              label="Company"
              placeholder="default company"
              defaultValue={companyId ?? ''}
            />
            <TextInput name="description" label="Description" />
            <EventChoice chosen={[]} />
          </FormButton>
        )}
      </PageHeader>
      <Group mb="md">
        <CompanyField
          value={companyId}
          empty="every company"
          onChange={(chosen) => change({ companyId: chosen })}
        />
      </Group>
      <Sheet flush>
        <DataTable
          label="Webhooks"
          rows={answer?.webhooks}
          {...asked}
          keyOf={({ id }) => id}
          minWidth={720}
          columns={[
            { name: 'Address', cell: (webhook) => <Address {...webhook} /> },
            { name: 'Company', cell: (webhook) => <span className="break">{webhook.companyId}</span> },
            { name: 'Told of', cell: ({ events }) => countedEvents(events) },
            { name: 'State', cell: (webhook) => <WebhookState webhook={webhook} /> },
            { name: 'Since', cell: ({ createdAt }) => <TimeText at={createdAt} /> },
          ]}
          empty={
            <EmptyState icon="hook" title="No webhook yet">
              Add an address, and it is told when an email was sent, bounced, opened or failed.
            </EmptyState>
          }
        />
      </Sheet>
    </>
  );
}

function Address({ id, url, description }: WebhookEndpoint) {
  return (
    <Stack gap={0}>
      <Anchor component={Link} href={`/webhooks/${id}`} size="sm" fw={600} className="break">
        {url}
      </Anchor>
      {description && (
        <Text size="sm" c="dimmed" className="break">
          {description}
        </Text>
      )}
    </Stack>
  );
}
