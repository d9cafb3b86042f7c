/** Whose things a page shows: any company may be named, those that are listed are offered. */
import { Autocomplete } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
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
  const companies = useCompanies(typed);
  const choose = (chosen: string) => {
    if (chosen.trim() !== value) onChange(chosen.trim() || null);
  };
  return (
    <Autocomplete
      label="Company"
      placeholder={empty}
      w={220}
      data={companies}
      limit={OFFERED}
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

const OFFERED = 50;

/** The first companies whose ids begin with what was typed. */
export function useCompanies(typed: string): string[] {
  const startsWith = /^[A-Za-z0-9._:-]{1,128}$/.test(typed) ? typed : undefined;
  const tenants = useQuery({
    queryKey: ['tenants', { startsWith, limit: OFFERED }],
    queryFn: ({ signal }) =>
      callApi<{ tenants: Tenant[] }>('GET', '/admin/tenants', {
        query: { startsWith, limit: OFFERED },
        signal,
      }),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
  return tenants.data?.tenants.map(({ companyId }) => companyId) ?? [];
}
