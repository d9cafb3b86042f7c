/** Every type of email by portal and language, and which companies say it in their own words. */
import { Anchor, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { TemplateType } from '../../src/render/index.js';
import { callApi } from '../api/call-api.js';
import { CompanyField } from '../parts/company-field.js';
import { DataTable } from '../parts/data-table.js';
import { EmptyState } from '../parts/empty-state.js';
import { Icon } from '../parts/icon.js';
import { PageHeader } from '../parts/page-header.js';
import { Sheet } from '../parts/sheet.js';
import { StatusBadge } from '../parts/status-badge.js';
import { useUrlState } from '../parts/use-url-state.js';
import { type ContentList, pagePathOf } from './content/content-answers.js';

export default function ContentPage() {
  const [{ portal, companyId }, change] = useUrlState(['portal', 'companyId']);
  const [find, setFind] = useState('');
  const content = useQuery({
    queryKey: ['content', companyId ?? ''],
    queryFn: ({ signal }) =>
      callApi<ContentList>('GET', '/admin/templates', { query: { companyId }, signal }),
  });
  const types = content.data?.types;
  const portals = [...new Set(types?.map((type) => type.portal))].sort();
  const rows = types
    ?.filter((type) => !portal || type.portal === portal)
    .filter(({ type, category }) => `${type} ${category}`.toLowerCase().includes(find.trim().toLowerCase()))
    .sort((a, b) => (`${a.portal} ${a.type}` < `${b.portal} ${b.type}` ? -1 : 1));
  const overrides = content.data?.overrides ?? [];
  return (
    <>
      <PageHeader
        title="Content"
        says="What emails say. The code has every type; a company may say it in its own words, language by language."
      />
      <Group mb="md" gap="md" align="flex-end">
        <NativeSelect
          label="Portal"
          value={portal ?? ''}
          onChange={(event) => change({ portal: event.currentTarget.value })}
          data={[{ value: '', label: 'all' }, ...portals.map((value) => ({ value, label: value }))]}
        />
        <CompanyField
          value={companyId}
          empty="every company"
          onChange={(chosen) => change({ companyId: chosen })}
        />
        <TextInput
          label="Find"
          placeholder="welcome"
          leftSection={<Icon name="search" size={16} />}
          value={find}
          onChange={(event) => setFind(event.currentTarget.value)}
        />
      </Group>
      <Sheet flush>
        <DataTable
          label="Types of email"
          rows={rows}
          error={content.error}
          onRetry={() => content.refetch()}
          keyOf={({ type }) => type}
          minWidth={640}
          columns={[
            { name: 'Type', cell: (type) => <Type {...type} /> },
            { name: 'Portal', cell: (type) => type.portal },
            {
              name: 'Languages',
              cell: ({ type, languages }) => (
                <Group gap="sm">
                  {languages.map((lang) => (
                    <Anchor
                      key={lang}
                      component={Link}
                      href={pagePathOf({ type, lang, companyId })}
                      size="sm"
                    >
                      {lang}
                    </Anchor>
                  ))}
                </Group>
              ),
            },
            {
              name: 'Own words',
              cell: ({ type }) => <Overrides of={overrides.filter((one) => one.type === type)} />,
              width: '38%',
            },
          ]}
          empty={
            <EmptyState icon="search" title="No such type">
              Use fewer letters, or choose all portals.
            </EmptyState>
          }
        />
      </Sheet>
    </>
  );
}

function Type({ type, category, sensitive }: TemplateType) {
  return (
    <Stack gap={0}>
      <Text size="sm" fw={600} className="break">
        {type}
      </Text>
      <Text size="xs" c="dimmed">
        {category}
        {sensitive && ' · sensitive'}
      </Text>
    </Stack>
  );
}

function Overrides({ of }: { of: ContentList['overrides'] }) {
  if (of.length === 0) return null;
  return (
    <Stack gap={4}>
      {of.map(({ id, type, lang, companyId, state, version, isActive }) => (
        <Group key={id} gap="xs">
          <Anchor component={Link} href={pagePathOf({ type, lang, companyId })} size="sm" className="break">
            {companyId} · {lang}
          </Anchor>
          <StatusBadge
            status={state === 'published' && !isActive ? 'disabled' : state}
            label={`${state === 'published' && !isActive ? 'off' : state}, version ${version}`}
          />
        </Group>
      ))}
    </Stack>
  );
}
