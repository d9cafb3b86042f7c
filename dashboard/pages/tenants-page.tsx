/** The companies that send through this Postrider, and the domains each may send from. */
import { Anchor, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { Link } from 'wouter';
import type { Tenant } from '../../src/access/index.js';
import { callApi } from '../api/call-api.js';
import { useSession } from '../api/session.js';
import { ConfirmButton } from '../parts/confirm-button.js';
import { DataTable } from '../parts/data-table.js';
import { EmptyState } from '../parts/empty-state.js';
import { FormButton } from '../parts/form-button.js';
import { given, textOf, wordsOf } from '../parts/form-values.js';
import { PageHeader } from '../parts/page-header.js';
import { PageTurner } from '../parts/page-turner.js';
import { Sheet } from '../parts/sheet.js';
import { StatusBadge } from '../parts/status-badge.js';
import { TimeText } from '../parts/time-text.js';
import { useList } from '../parts/use-list.js';
import { useUrlState } from '../parts/use-url-state.js';

export default function TenantsPage() {
  const session = useSession();
  const [{ cursor }, change] = useUrlState(['cursor']);
  const { answer, asked, again } = useList<{ tenants: Tenant[]; nextCursor: string | null }>(
    'tenants',
    '/admin/tenants',
    { query: { cursor } },
  );
  const mayChange = session.may('administer');
  return (
    <>
      <PageHeader
        title="Tenants"
        says="Companies with keys and senders of their own. Others may be sent for too, by operators and by the library."
      >
        {mayChange && (
          <FormButton
            label="Add a tenant"
            icon="plus"
            main
            title="Add a tenant"
            act={(form) =>
              callApi('POST', '/admin/tenants', {
                body: {
                  ...given(form, 'companyId', 'name', 'contact', 'region'),
                  fromDomains: wordsOf(form, 'fromDomains'),
                },
              })
            }
            onDone={again}
          >
            <TextInput
              name="companyId"
              label="Company id"
              description="Letters, digits, dots, colons and hyphens; it never changes."
              required
              data-autofocus
            />
            <TextInput name="name" label="Name" />
            <Contact />
            <Region />
            <Domains />
          </FormButton>
        )}
      </PageHeader>
      <Sheet flush>
        <DataTable
          label="Tenants"
          rows={answer?.tenants}
          {...asked}
          keyOf={({ companyId }) => companyId}
          minWidth={680}
          columns={[
            { name: 'Company', cell: (tenant) => <Name {...tenant} /> },
            { name: 'Sends from', cell: ({ fromDomains }) => <SendsFrom domains={fromDomains} /> },
            {
              name: 'State',
              cell: ({ disabledAt }) => <StatusBadge status={disabledAt ? 'disabled' : 'active'} />,
            },
            { name: 'Region', cell: ({ region }) => region && <span className="break">{region}</span> },
            { name: 'Since', cell: ({ createdAt }) => <TimeText at={createdAt} /> },
            {
              name: 'Keys',
              cell: ({ companyId }) => (
                <Anchor component={Link} href={`/keys?companyId=${encodeURIComponent(companyId)}`} size="sm">
                  Keys
                </Anchor>
              ),
            },
            ...(mayChange
              ? [{ name: 'Change', cell: (tenant: Tenant) => <Change tenant={tenant} onDone={again} /> }]
              : []),
          ]}
          empty={
            <EmptyState icon="building" title="No tenant yet">
              A tenant is needed for an API key and for a list of domains a company may send from.
            </EmptyState>
          }
        />
      </Sheet>
      <PageTurner current={cursor} next={answer?.nextCursor} onTurn={(next) => change({ cursor: next })} />
    </>
  );
}

function Name({ companyId, name }: Tenant) {
  return (
    <Stack gap={0}>
      <Text fw={600} size="sm" className="break">
        {companyId}
      </Text>
      {name && (
        <Text size="sm" c="dimmed" className="break">
          {name}
        </Text>
      )}
    </Stack>
  );
}

function SendsFrom({ domains }: { domains: string[] | null }) {
  if (domains === null)
    return (
      <Text c="dimmed" size="sm">
        no list
      </Text>
    );
  return <span className="break">{domains.length === 0 ? 'nothing' : domains.join(', ')}</span>;
}

function Contact({ value }: { value?: string }) {
  return (
    <TextInput
      name="contact"
      label="Contact"
      type="email"
      description="An address that is told what people have to mend, such as a webhook that was turned off."
      defaultValue={value}
    />
  );
}

function Region({ value }: { value?: string }) {
  return (
    <TextInput
      name="region"
      label="Region"
      description="Where its emails are kept; left empty, at home."
      defaultValue={value}
    />
  );
}

function Domains({ value }: { value?: string }) {
  return (
    <Textarea
      name="fromDomains"
      label="Domains it may send from"
      description="One per line; without any there is no list."
      rows={3}
      defaultValue={value}
    />
  );
}

function Change({ tenant, onDone }: { tenant: Tenant; onDone(): void }) {
  const { companyId, name, contact, region, fromDomains, disabledAt } = tenant;
  const path = `/admin/tenants/${encodeURIComponent(companyId)}`;
  return (
    <Group gap="xs" wrap="nowrap">
      <FormButton
        label="Edit"
        size="compact-sm"
        title={`Change ${companyId}`}
        submitLabel="Save"
        act={(form) =>
          callApi('PATCH', path, {
            body: {
              name: textOf(form, 'name') || null,
              contact: textOf(form, 'contact') || null,
              fromDomains: wordsOf(form, 'fromDomains'),
              ...(textOf(form, 'region') !== (region ?? '') && { region: textOf(form, 'region') || null }),
            },
          })
        }
        onDone={onDone}
      >
        <TextInput name="name" label="Name" defaultValue={name ?? ''} data-autofocus />
        <Contact value={contact ?? ''} />
        <Region value={region ?? ''} />
        <Domains value={fromDomains?.join('\n') ?? ''} />
      </FormButton>
      <ConfirmButton
        label={disabledAt ? 'Enable' : 'Disable'}
        size="compact-sm"
        title={disabledAt ? `Enable ${companyId}?` : `Disable ${companyId}?`}
        danger={!disabledAt}
        act={() => callApi('PATCH', path, { body: { disabled: !disabledAt } })}
        onDone={onDone}
      >
        {disabledAt
          ? 'Its keys work again and its emails are accepted.'
          : 'Its keys are refused and it sends nothing through any door, until it is enabled again.'}
      </ConfirmButton>
    </Group>
  );
}
