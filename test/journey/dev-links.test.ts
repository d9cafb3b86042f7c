import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openApplication } from '../../src/app.js';
import { loadConfig } from '../../src/config.js';
import { createTestDatabase, freePort, waitFor } from '../services/index.js';

/** What someone who has set nothing can try. */
test('postrider dev without settings → an email in the inbox has a link that unsubscribes, and leads to this process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-dev-'));
  const store = await createTestDatabase();
  const env = {
    DATABASE_URL: store.url,
    ...{ POSTRIDER_LOG_LEVEL: 'silent', POSTRIDER_DATA_DIR: folder, POSTRIDER_SCHEDULES: 'none' },
    ...{ PORT: String(await freePort()), DEV_SMTP_PORT: String(await freePort()) },
  };
  const application = await openApplication(loadConfig({ file: null, env }));
  onTestFinished(async () => {
    await application.stop({ deadlineMs: 2000 });
    await store.drop();
    rmSync(folder, { recursive: true, force: true });
  });
  let base = '';
  await application.dev(
    ({ url }) => {
      base = url;
    },
    () => {},
  );
  const send = async () => {
    const response = await fetch(`${base}/v1/email/send`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ type: 'streak_warning', to: 'ada@example.com', data: { streakDays: 3 } }),
    });
    return response.json();
  };
  expect(await send()).toMatchObject({ queued: true });
  const raw = await waitFor(
    async () => {
      const list = (await (await fetch(`${base}/dev/inbox/messages`)).json()) as {
        messages: { id: string }[];
      };
      const [first] = list.messages;
      return first && (await (await fetch(`${base}/dev/inbox/messages/${first.id}/raw`)).text());
    },
    { timeoutMs: 30_000, what: 'the email in the inbox' },
  );
  const link = /^List-Unsubscribe: ?\s*<([^>]+)>/m.exec(raw)?.[1]?.replaceAll(/\s/g, '') ?? '';
  expect(link.startsWith(`${base}/u/`)).toBe(true);
  const clicked = await fetch(link, {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  });
  expect(clicked.status).toBe(200);
  expect(await send()).toMatchObject({ queued: false, status: 'suppressed' });
});
