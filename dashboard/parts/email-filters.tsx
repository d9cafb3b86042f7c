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

type Changes = Partial<Record<FilterName, string | null>>;

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
  onChange(changes: Changes): void;
}

export function EmailFilters({ filter, error, onChange }: EmailFiltersProps) {
  const [typed, setTyped] = useState<Filter>({});
  const [more, setMore] = useState(() => TEXTS.some(({ name, more: hidden }) => hidden && filter[name]));
  const wrong = error instanceof ApiError ? error.field : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    enter(trimmed(typed));
  };
  // What was entered is kept in the address alone, so that Back and Clear are seen in the fields as well.
  const enter = (changes: Changes) => {
    onChange(changes);
    setTyped({});
  };
  const change = (name: FilterName, value: string, isDate: boolean) => {
    // Typed by keyboard, a year begins as 0002; a day counts at once when it is whole.
    if (isDate && (value === '' || value >= EARLIEST)) enter({ ...trimmed(typed), [name]: value });
    else setTyped({ ...typed, [name]: value });
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
        onChange={(status) => enter({ ...trimmed(typed), status })}
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
          onChange={(event) => change(name, event.currentTarget.value, type === 'date')}
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
            onClick={() => enter(Object.fromEntries(FILTER_NAMES.map((name) => [name, null])))}
          >
            Clear
          </Button>
        )}
      </Group>
    </form>
  );
}

/** The first day an email could be of. */
const EARLIEST = '2000-01-01';

/** What is pasted often brings a blank along. */
function trimmed(typed: Filter): Filter {
  return Object.fromEntries(Object.entries(typed).map(([name, value]) => [name, value.trim()]));
}
