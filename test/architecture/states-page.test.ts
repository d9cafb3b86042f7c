import { expect, it } from 'vitest';
import { EMAIL_STATUSES, TRANSITIONS } from '../../src/outbox/index.js';
import { statesPage } from './states-page.js';

it('docs/STATES.md → says what the transition table says', async () => {
  await expect(statesPage(TRANSITIONS, EMAIL_STATUSES)).toMatchFileSnapshot('../../docs/STATES.md');
});

it('a table with another start, end or sentence → another page', () => {
  const page = statesPage(TRANSITIONS, EMAIL_STATUSES);
  expect(page).toContain('  processing --> sent: SENT');
  expect(page).toContain('  [*] --> scheduled: ENQUEUED');
  expect(page).toContain('| `sent` | yes |');
  expect(page).toContain('| `retry` | no |');
  const row = TRANSITIONS.SENT;
  const changes = [
    { ...row, from: ['retry'] as const },
    { ...row, to: ['failed'] as const },
    { ...row, says: 'another' },
  ];
  for (const SENT of changes) expect(statesPage({ ...TRANSITIONS, SENT }, EMAIL_STATUSES)).not.toBe(page);
});
