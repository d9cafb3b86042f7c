import { expect, it } from 'vitest';
import { ERROR_TABLE } from '../../src/kernel/index.js';
import { errorsPage } from './errors-page.js';

it('docs/ERRORS.md → says what the error table says', async () => {
  await expect(errorsPage(ERROR_TABLE)).toMatchFileSnapshot('../../docs/ERRORS.md');
});

it('a table with another status, retryability, sentence or code → another page', () => {
  const row = { status: 400, retryable: false, help: 'Do this.' };
  const page = errorsPage({ A: row });
  expect(page).toContain('| `A` | 400 | no | Do this. |');
  const changes: Array<Record<string, typeof row>> = [
    { A: { ...row, status: 409 } },
    { A: { ...row, retryable: true } },
    { A: { ...row, help: 'Do that.' } },
    { A: row, B: row },
  ];
  for (const changed of changes) expect(errorsPage(changed)).not.toBe(page);
});
