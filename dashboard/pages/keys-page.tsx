/** API keys of tenants. A token is seen once, when it is made. */
import { Autocomplete, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ApiKey } from '../../src/access/index.js';
import { callApi } from '../api/call-api.js';
import { useSession } from '../api/session.js';
import { CompanyField, useCompanies } from '../parts/company-field.js';
import { ConfirmButton } from '../parts/confirm-button.js';
import { DataTable } from '../parts/data-table.js';
import { EmptyState } from '../parts/empty-state.js';
import { FormButton } from '../parts/form-button.js';
import { given, wordsOf } from '../parts/form-values.js';
import { PageHeader } from '../parts/page-header.js';
import { PageTurner } from '../parts/page-turner.js';
import { Sheet } from '../parts/sheet.js';
import { ShownOnce } from '../parts/shown-once.js';
import { StatusBadge } from '../parts/status-badge.js';
import { TimeText } from '../parts/time-text.js';
import { useList } from '../parts/use-list.js';
import { useUrlState } from '../parts/use-url-state.js';

export default function KeysPage() {
  const session = useSession();
  const [{ companyId, cursor }, change] = useUrlState(['companyId', 'cursor']);
  const { answer, asked, again } = useList<{ keys: ApiKey[]; nextCursor: string | null }>(
    'keys',
    '/admin/keys',
    { query: { companyId, cursor } },
  );
  const mayChange = session.may('administer');
  return (
    <>
      <PageHeader title="API keys" says="With a key an application sends for its company, over HTTP or SMTP.">
        {mayChange && <NewKey companyId={companyId} onDone={again} />}
      </PageHeader>
      <Group mb="md">
        <CompanyField
          value={companyId}
          empty="every company"
          onChange={(chosen) => change({ companyId: chosen, cursor: null })}
        />
      </Group>
      <Sheet flush>
        <DataTable
          label="API keys"
          rows={answer?.keys}
          {...asked}
          keyOf={({ id }) => id}
          minWidth={760}
          columns={[
            { name: 'Key', cell: (key) => <Name {...key} /> },
            { name: 'Company', cell: (key) => <span className="break">{key.companyId}</span> },
            { name: 'May', cell: ({ permission }) => MAY[permission] },
            { name: 'Sends from', cell: ({ fromDomains }) => fromDomains?.join(', ') },
            { name: 'Last used', cell: ({ lastUsedAt }) => lastUsedAt && <TimeText at={lastUsedAt} /> },
            {
              name: 'State',
              cell: ({ revokedAt }) => (
                <StatusBadge
                  status={revokedAt ? 'disabled' : 'active'}
                  label={revokedAt ? 'revoked' : 'active'}
                />
              ),
            },
            ...(mayChange
              ? [{ name: 'Change', cell: (key: ApiKey) => <Revoke apiKey={key} onDone={again} /> }]
              : []),
          ]}
          empty={
            <EmptyState icon="key" title="No key yet">
              {companyId
                ? `${companyId} has no key. Make one, and its application can send.`
                : 'Add a tenant, then make it a key.'}
            </EmptyState>
          }
        />
      </Sheet>
      <PageTurner current={cursor} next={answer?.nextCursor} onTurn={(next) => change({ cursor: next })} />
    </>
  );
}

const MAY: Record<ApiKey['permission'], string> = { full: 'everything of its company', sending: 'send' };

function NewKey({ companyId, onDone }: { companyId: string | undefined; onDone(): void }) {
  const [typed, setTyped] = useState(companyId ?? '');
  const companies = useCompanies(typed);
  return (
    <FormButton
      label="Make a key"
      icon="plus"
      main
      title="Make a key"
      act={(form) =>
        callApi<ApiKey & { token: string }>('POST', '/admin/keys', {
          body: {
            ...given(form, 'companyId', 'name', 'permission'),
            fromDomains: wordsOf(form, 'fromDomains'),
          },
        })
      }
      onDone={onDone}
      reveal={({ token }) => <ShownOnce value={token} label="the key" />}
    >
      <Autocomplete
        name="companyId"
        label="Company"
        data={companies}
        value={typed}
        onChange={setTyped}
        required
        description="One that was added under Tenants."
      />
      <TextInput name="name" label="Name" placeholder="web shop" required data-autofocus />
      <NativeSelect
        name="permission"
        label="May"
        data={[
          { value: 'sending', label: 'Send, and read nothing' },
          { value: 'full', label: 'Read and change everything of its company' },
        ]}
      />
      <Textarea
        name="fromDomains"
        label="Only from these domains"
        description="One per line; without any, those of the tenant."
        rows={2}
      />
    </FormButton>
  );
}

function Name({ name, hint }: ApiKey) {
  return (
    <Stack gap={0}>
      <Text fw={600} size="sm" className="break">
        {name}
      </Text>
      <Text size="xs" c="dimmed" ff="monospace">
        {hint}…
      </Text>
    </Stack>
  );
}

function Revoke({ apiKey, onDone }: { apiKey: ApiKey; onDone(): void }) {
  if (apiKey.revokedAt) return null;
  return (
    <ConfirmButton
      label="Revoke"
      size="compact-sm"
      title={`Revoke ${apiKey.name}?`}
      danger
      act={() => callApi('DELETE', `/admin/keys/${apiKey.id}`)}
      onDone={onDone}
    >
      Whoever uses it is refused from now on. It cannot be brought back.
    </ConfirmButton>
  );
}
