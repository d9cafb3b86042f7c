/** What docs/ERRORS.md says, from the table it describes. */
export function errorsPage(table: Record<string, ErrorRow>): string {
  const rows = Object.entries(table)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { status, retryable, help }]) => {
      return `| \`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${help.replaceAll('|', '\\|')} |`;
    });
  return `# Errors

Every error has a code from \`src/kernel/error-table.ts\`. The code decides the HTTP status, whether the same call
may be tried again unchanged, and the sentence of help. Over HTTP it arrives as \`application/problem+json\` with
\`code\`, \`field\` where one is at fault, \`detail\`, \`help\` and \`requestId\`; in the library it is a \`PostriderError\`
with the same fields. From status 500 on \`detail\` is the help, and the log line with the \`requestId\` has the message;
where a setting is missing, \`detail\` names it.

| code | status | try again | help |
|---|---|---|---|
${rows.join('\n')}

This page is compared with the table by \`test/architecture/errors-page.test.ts\`; after a change to the table,
\`npx vitest run --project unit test/architecture/errors-page.test.ts -u\` writes it again.
`;
}

interface ErrorRow {
  status: number;
  retryable: boolean;
  help: string;
}
