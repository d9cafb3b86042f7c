/** The configuration this process runs with: what each setting is, where that was said, what it would be otherwise. */
import { Code, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Explanation } from '../../src/kernel/index.js';
import { callApi } from '../api/call-api.js';
import { DataTable } from '../parts/data-table.js';
import { EmptyState } from '../parts/empty-state.js';
import { Icon } from '../parts/icon.js';
import { PageHeader } from '../parts/page-header.js';
import { Sheet } from '../parts/sheet.js';
import { useUrlState } from '../parts/use-url-state.js';

export default function SettingsPage() {
  const [filter, change] = useUrlState(['show']);
  const [find, setFind] = useState('');
  const settings = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => callApi<{ settings: Explanation[] }>('GET', '/admin/settings', { signal }),
  });
  const all = settings.data?.settings;
  const changed = all?.filter(({ differs }) => differs);
  const showsAll = filter.show === 'all';
  const rows = (showsAll ? all : changed)?.filter((row) => matches(row, find));
  return (
    <>
      <PageHeader
        title="Settings"
        says="What this process runs with. Settings are changed in its environment or its file, and hold from its next start."
      />
      <Group mb="md" gap="md" align="flex-end">
        <SegmentedControl
          aria-label="Which settings"
          value={showsAll ? 'all' : 'changed'}
          onChange={(show) => change({ show: show === 'all' ? 'all' : null })}
          data={[
            { value: 'changed', label: `Changed${countOf(changed)}` },
            { value: 'all', label: `All${countOf(all)}` },
          ]}
        />
        <TextInput
          label="Find"
          placeholder="smtp, retry, POSTRIDER_…"
          leftSection={<Icon name="search" size={16} />}
          value={find}
          onChange={(event) => setFind(event.currentTarget.value)}
        />
      </Group>
      <Sheet flush>
        <DataTable
          label="Settings"
          rows={rows}
          error={settings.error}
          onRetry={() => settings.refetch()}
          keyOf={({ key }) => key}
          minWidth={760}
          columns={[
            { name: 'Setting', cell: (row) => <Name setting={row} />, width: '42%' },
            { name: 'Value', cell: (row) => <Value text={row.value} strong={row.differs} /> },
            { name: 'Default', cell: (row) => <Value text={row.default} /> },
            { name: 'Said by', cell: (row) => <Source setting={row} /> },
          ]}
          empty={
            find !== '' ? (
              <EmptyState icon="search" title="No such setting">
                Look among all of them, or use fewer letters.
              </EmptyState>
            ) : (
              <EmptyState icon="cog" title="Every setting has its default">
                The page docs/CONFIGURATION.md has each with its variable.
              </EmptyState>
            )
          }
        />
      </Sheet>
    </>
  );
}

function Name({ setting: { key, says, variables } }: { setting: Explanation }) {
  return (
    <Stack gap={2}>
      <Text fw={600} size="sm" className="break">
        {key}
      </Text>
      <Text size="sm" c="dimmed">
        {says.replaceAll('`', '')}
      </Text>
      {variables.length > 0 && (
        <Text size="xs" c="dimmed" ff="monospace" className="break">
          {variables.join(', ')}
        </Text>
      )}
    </Stack>
  );
}

function Value({ text, strong = false }: { text: string; strong?: boolean }) {
  return (
    <Text size="sm" ff="monospace" className="break" {...(strong ? { fw: 650 } : { c: 'dimmed' })}>
      {text === '' ? '–' : text}
    </Text>
  );
}

function Source({ setting: { source, ignored } }: { setting: Explanation }) {
  if (source === 'default') return null;
  return (
    <Stack gap={2}>
      <Code className="break">{source}</Code>
      {ignored.length > 0 && (
        <Text size="xs" c="dimmed">
          {ignored.join(', ')} says something too and is ignored
        </Text>
      )}
    </Stack>
  );
}

function matches({ key, says, variables }: Explanation, wanted: string): boolean {
  const text = `${key} ${variables.join(' ')} ${says}`.toLowerCase();
  return text.includes(wanted.trim().toLowerCase());
}

function countOf(rows: readonly unknown[] | undefined): string {
  return rows ? ` (${rows.length})` : '';
}
