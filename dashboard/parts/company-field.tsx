/** Whose things a page shows: any company may be named, those that are listed are offered. */
import { Autocomplete } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Tenant } from '../../src/access/index.js';
import { callApi } from '../api/call-api.js';

export interface CompanyFieldProps {
  value: string | undefined;
  onChange(companyId: string | null): void;
  /** What an empty field means. */
  empty?: string;
}

export function CompanyField(props: CompanyFieldProps) {
  // Going back in the browser brings another value, which must replace what was typed.
  return <Field key={props.value ?? ''} {...props} />;
}

function Field({ value = '', onChange, empty = 'default company' }: CompanyFieldProps) {
  const [typed, setTyped] = useState(value);
  const companies = useCompanies();
  const choose = (chosen: string) => {
    if (chosen.trim() !== value) onChange(chosen.trim() || null);
  };
  return (
    <Autocomplete
      label="Company"
      placeholder={empty}
      w={220}
      data={companies}
      limit={50}
      value={typed}
      onChange={setTyped}
      onOptionSubmit={choose}
      onBlur={() => choose(typed)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') choose(typed);
      }}
      clearable
      onClear={() => choose('')}
      clearButtonProps={{ 'aria-label': 'Clear the company' }}
    />
  );
}

export function useCompanies(): string[] {
  const tenants = useQuery({
    queryKey: ['tenants'],
    queryFn: ({ signal }) => callApi<{ tenants: Tenant[] }>('GET', '/admin/tenants', { signal }),
    staleTime: 30_000,
  });
  return tenants.data?.tenants.map(({ companyId }) => companyId) ?? [];
}
