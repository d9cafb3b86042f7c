import { expect, test } from 'vitest';
import { ERROR_TABLE, type ErrorRow } from './error-table.js';

const ROWS = Object.entries<ErrorRow>(ERROR_TABLE);
const ALONE = /^(?!.*\b(?:message|named)\b)|log line with this requestId/;

test('a fault on our side of which only the help is answered → the help sends nobody to a text that stays inside', () => {
  const unshown = ROWS.filter(([, { status, isShown }]) => status >= 500 && !isShown);
  expect(unshown.filter(([, { help }]) => !ALONE.test(help))).toEqual([]);
});

test('a setting that is missing → the message that names it is answered, whatever the status', () => {
  const row: ErrorRow = ERROR_TABLE.NOT_CONFIGURED;
  expect(row).toMatchObject({ isShown: true, retryable: false });
});
