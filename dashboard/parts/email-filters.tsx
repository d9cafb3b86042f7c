/** What to look for among emails. Texts count once they are entered, so that no half an address is asked for. */
import { Button, Group, Select, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../api/api-error.js';
import { Icon } from './icon.js';

export const FILTER_NAMES = [
  ...(['recipient', 'status', 'type', 'companyId', 'provider', 'messageId', 'from', 'to'] as const),
] as const;
export type FilterName = (typeof FILTER_NAMES)[number];
export type Filter = Partial<Record<FilterName, string>>;

const STATUSES = [
  ...['scheduled', 'pending', 'processing', 'retry', 'sent', 'failed', 'unknown'],
  ...['cancelled', 'suppressed', 'expired'],
];
const TEXTS: ReadonlyArray<{ name: FilterName; label: string; type?: 'date'; more?: boolean }> = [
  { name: 'recipient', label: 'Recipient' },
  { name: 'type', label: 'Type' },
  { name: 'from', label: 'From day', type: 'date' },
  { name: 'to', label: 'To day', type: 'date' },
  { name: 'companyId', label: 'Tenant', more: true },
  { name: 'provider', label: 'Provider', more: true },
  { name: 'messageId', label: 'Message id', more: true },
];

export interface EmailFiltersProps {
  filter: Filter;
  /** A refusal names the field it is about. */
  error: unknown;
  onChange(changes: Partial<Record<FilterName, string | null>>): void;
}

export function EmailFilters({ filter, error, onChange }: EmailFiltersProps) {
  const [typed, setTyped] = useState<Filter>({});
  const [more, setMore] = useState(() => TEXTS.some(({ name, more: hidden }) => hidden && filter[name]));
  const wrong = error instanceof ApiError ? error.field : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange(typed);
    setTyped({});
  };
  return (
    <form onSubmit={submit} className="filters" aria-label="Look for emails">
      <Select
        label="Status"
        size="sm"
        placeholder="any"
        data={STATUSES}
        value={filter.status ?? null}
        clearable
        onChange={(status) => onChange({ ...typed, status })}
      />
      {TEXTS.filter(({ more: hidden }) => more || !hidden).map(({ name, label, type }) => (
        <TextInput
          key={name}
          label={label}
          size="sm"
          type={type ?? 'text'}
          name={name}
          value={typed[name] ?? filter[name] ?? ''}
          error={wrong === name}
          onChange={(event) => {
            const { value } = event.currentTarget;
            setTyped({ ...typed, [name]: value });
            if (type === 'date') onChange({ [name]: value });
          }}
        />
      ))}
      <Group gap="xs" className="filter-buttons">
        <Button type="submit" size="sm" leftSection={<Icon name="search" size={16} />}>
          Search
        </Button>
        {!more && (
          <Button size="sm" variant="subtle" onClick={() => setMore(true)}>
            More
          </Button>
        )}
        {Object.keys(filter).length > 0 && (
          <Button
            size="sm"
            variant="subtle"
            onClick={() => {
              setTyped({});
              onChange(Object.fromEntries(FILTER_NAMES.map((name) => [name, null])));
            }}
          >
            Clear
          </Button>
        )}
      </Group>
    </form>
  );
}
