import { expect, test } from 'vitest';
import { createDeadLetters } from './dead-letters.js';
import { systemClock } from './kernel/index.js';

const asked = new Error('the store was asked');
const { retry, discard } = createDeadLetters(() => Promise.reject(asked), systemClock);
const id = '01a1def1-9ed6-7000-8fe3-719f10b82e28';

test.each([
  // It would narrow nothing, and every company's letters would go again.
  [{ filter: {}, companyId: 'shop' }, 'companyId'],
  [{ filter: {}, emailIds: [id] }, 'emailIds'],
  [{ filter: null }, 'filter'],
  [{ emailIds: [undefined] }, 'emailIds[0]'],
  [{ emailIds: new Array(1) }, 'emailIds[0]'],
])('which letters said as %j → refused before the store is asked, naming %s', async (which, field) => {
  for (const act of [retry, discard]) await expect(act(which as never)).rejects.toMatchObject({ field });
});

test.each([
  { emailIds: [id.toUpperCase()], companyId: 'shop' },
  { emailIds: undefined, filter: { companyId: 'shop' } },
  { emailIds: [id], filter: undefined },
])('which letters said as %j → looked for', async (which) => {
  for (const act of [retry, discard]) await expect(act(which as never)).rejects.toBe(asked);
});
