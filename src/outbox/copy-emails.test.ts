import { expect, test } from 'vitest';
import { CopyRows, type Queryable } from '../store/index.js';
import { prepareCopy } from './copy-emails.js';
import { aNewEmail } from './new-email.fixture.js';

const emails = Array.from({ length: 20 }, () => ({ ...aNewEmail, html: 'x'.repeat(8000) }));

/** The memory of what was sent, and a store that answers so. */
function sending(answer: () => Promise<void>) {
  const sent: ArrayBufferLike[] = [];
  const copy = (_: string, rows: CopyRows) => {
    sent.push(...rows.messages().map(({ buffer }) => buffer));
    return answer();
  };
  return { sent, tx: { copy } as unknown as Queryable & Required<Pick<Queryable, 'copy'>> };
}

const next = () => Array.from({ length: 10 }, () => new CopyRows(150_000).messages()[0]!.buffer);

test('answered → its memory serves the next', async () => {
  const { sent, tx } = sending(() => Promise.resolve());
  await prepareCopy(tx, emails)();
  expect(next()).toContain(sent[0]);
});

test('given up → nobody gets its memory: it may still be on its way to the server', async () => {
  const { sent, tx } = sending(() => Promise.reject(new Error('silent')));
  await expect(prepareCopy(tx, emails)()).rejects.toThrow('silent');
  expect(next()).not.toContain(sent[0]);
});
