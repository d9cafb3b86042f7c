/**
 * A list from a file: looked through first, with what would be refused and why, and taken in only then. Rows that are
 * refused are passed over, since their number was seen.
 */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { type ChangeEvent, useState } from 'react';
import type { CheckedRows } from '../../../src/recipients/index.js';
import { callApi } from '../../api/call-api.js';
import { DataTable } from '../../parts/data-table.js';
import { ErrorNotice } from '../../parts/error-notice.js';

export interface ImportSuppressionsProps {
  companyId: string | undefined;
  onDone(): void;
}

export function ImportSuppressions({ companyId, onDone }: ImportSuppressionsProps) {
  const [opened, { open, close }] = useDisclosure(false);
  const [file, setFile] = useState<File | null>(null);
  const send = <Answer,>(chosen: File, query: Record<string, boolean>) =>
    callApi<Answer>('POST', '/v1/suppressions/import', {
      ...{ query: { companyId, ...query }, file: chosen },
      headers: {
        'Content-Type': /\.(?:ndjson|jsonl)$/i.test(chosen.name) ? 'application/x-ndjson' : 'text/csv',
      },
    });
  const check = useMutation({ mutationFn: (chosen: File) => send<CheckedRows>(chosen, { dryRun: true }) });
  const take = useMutation({
    mutationFn: (chosen: File) => send<{ added: number; known: number }>(chosen, { skipRefused: true }),
    onSuccess: onDone,
  });
  const begin = () => {
    setFile(null);
    check.reset();
    take.reset();
    open();
  };
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const chosen = event.currentTarget.files?.[0] ?? null;
    setFile(chosen);
    take.reset();
    if (chosen) check.mutate(chosen);
    else check.reset();
  };
  const error = check.error ?? take.error;
  return (
    <>
      <Button variant="default" onClick={begin}>
        Import
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        size="lg"
        title={`Import a list for ${companyId ?? 'the default company'}`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack gap="md">
          <label className="file-field">
            <Text size="sm" fw={500} component="span">
              CSV or NDJSON
            </Text>
            <input type="file" accept=".csv,.ndjson,.jsonl,text/csv" onChange={choose} />
            <Text size="xs" c="dimmed" component="span">
              With a column email, and reason, category and note where they are known; an export fits as it
              is.
            </Text>
          </label>
          {error && <ErrorNotice error={error} />}
          {check.data && <Checked found={check.data} />}
          {take.data && (
            <Text role="status" fw={600}>
              {take.data.added.toLocaleString()} added, {take.data.known.toLocaleString()} were there already.
            </Text>
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              {take.data ? 'Done' : 'Leave it'}
            </Button>
            {!take.data && (
              <Button
                loading={check.isPending || take.isPending}
                disabled={!file || !check.data?.accepted}
                onClick={() => file && take.mutate(file)}
              >
                Import {check.data ? check.data.accepted.toLocaleString() : ''}
              </Button>
            )}
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

function Checked({ found }: { found: CheckedRows }) {
  const { rows, accepted, refused, examples } = found;
  return (
    <Stack gap="sm">
      <Text role="status">
        {rows.toLocaleString()} rows: {accepted.toLocaleString()} can be taken in
        {refused > 0 && `, ${refused.toLocaleString()} are refused and would be passed over`}.
      </Text>
      {refused > 0 && (
        <DataTable
          label="Refused rows"
          rows={examples}
          keyOf={({ row }) => String(row)}
          minWidth={320}
          columns={[
            { name: 'Row', numeric: true, width: 70, cell: ({ row }) => row.toLocaleString() },
            { name: 'Why', cell: ({ problem }) => <span className="break">{problem}</span> },
          ]}
          empty=""
        />
      )}
    </Stack>
  );
}
