/**
 * A table of the dashboard: rows that are waited for, missing or refused are said in its place, so that no page
 * forgets to. On a phone it scrolls inside itself, never the page; by keyboard too.
 */
import { Skeleton, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorNotice } from './error-notice.js';

export interface Column<Row> {
  name: string;
  cell(row: Row): ReactNode;
  /** Of numbers, which then stand under each other. */
  numeric?: boolean;
  /** Left out where the screen is narrow. */
  wide?: boolean;
  width?: number | string;
}

export interface DataTableProps<Row> {
  /** What it holds, for those who hear it. */
  label: string;
  columns: readonly Column<Row>[];
  /** undefined while they are waited for. */
  rows: readonly Row[] | undefined;
  keyOf(row: Row): string;
  error?: unknown;
  onRetry?: () => void;
  /** What stands there when there are none. */
  empty: ReactNode;
  minWidth?: number;
  /** How many rows are likely to come, where something stands below them. */
  expected?: number;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, keyOf, error, onRetry, empty, minWidth = 520, expected = 6 } = props;
  if (error && rows === undefined)
    return (
      <div className="table-message">
        <ErrorNotice error={error} {...(onRetry && { onRetry })} />
      </div>
    );
  if (rows?.length === 0) return <div className="table-message">{empty}</div>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard
    <section className="table-scroll" aria-label={label} tabIndex={0}>
      <Table highlightOnHover layout={layoutOf(columns)} miw={minWidth} aria-busy={rows === undefined}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column.name} className={classOf(column)} w={column.width}>
                {column.name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows === undefined
            ? Array.from({ length: expected }, (_, row) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
                <Table.Tr key={row}>
                  {columns.map((column) => (
                    <Table.Td key={column.name} className={classOf(column)}>
                      <Skeleton h={20} radius="sm" />
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))
            : rows.map((row) => (
                <Table.Tr key={keyOf(row)}>
                  {columns.map((column) => (
                    <Table.Td key={column.name} className={classOf(column)}>
                      {column.cell(row) ?? (
                        <Text c="dimmed" size="sm">
                          –
                        </Text>
                      )}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

/** Widths in pixels are kept to; without any, columns are as wide as what they hold. */
function layoutOf(columns: ReadonlyArray<{ width?: number | string }>): 'fixed' | 'auto' {
  return columns.some(({ width }) => typeof width === 'number') ? 'fixed' : 'auto';
}

function classOf({ numeric, wide }: { numeric?: boolean; wide?: boolean }): string {
  return [numeric && 'numeric', wide && 'only-wide'].filter(Boolean).join(' ');
}
