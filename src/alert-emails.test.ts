import { expect, test } from 'vitest';
import { createAlertEmails } from './alert-emails.js';
import type { Provider } from './providers/index.js';

const EMAIL = { id: 'e-1', to: ['ops@example.net'], subject: 'Alert', text: 'x', html: '<p>x</p>' };

function routes(answers: Record<string, 'sent' | 'silent'>) {
  const asked: string[] = [];
  const list = Object.entries(answers).map(([name, answer]) => ({
    name,
    provider: {
      send() {
        asked.push(name);
        if (answer === 'silent') return new Promise(() => undefined);
        return Promise.resolve({ kind: 'sent' });
      },
    } as unknown as Provider,
  }));
  const send = createAlertEmails({
    ...{ routes: list, sender: { address: 'noreply@example.com' }, clock: { now: () => 0 }, routeMs: 20 },
  });
  return { asked, send };
}

test('routes that never answer → three are tried for one message, the next attempt begins behind them', async () => {
  const { asked, send } = routes({ a: 'silent', b: 'silent', c: 'silent', d: 'sent' });
  const how = { without: [], signal: AbortSignal.timeout(10_000) };
  await expect(send(EMAIL, { ...how, attempt: 1 })).rejects.toThrow(
    'a: no answer; b: no answer; c: no answer',
  );
  await send(EMAIL, { ...how, attempt: 2 });
  expect(asked).toEqual(['a', 'b', 'c', 'd']);
});

test('a process that stops → no further route is tried', async () => {
  const { asked, send } = routes({ a: 'silent', b: 'sent' });
  const stopped = AbortSignal.abort(new Error('the process stops'));
  await expect(send(EMAIL, { without: [], attempt: 1, signal: stopped })).rejects.toThrow(
    'the process stops',
  );
  expect(asked).toEqual([]);
});

test('a route that is paused, and one that takes it → the latter alone', async () => {
  const { asked, send } = routes({ a: 'sent', b: 'sent' });
  await send(EMAIL, { without: ['a'], attempt: 1, signal: AbortSignal.timeout(10_000) });
  expect(asked).toEqual(['b']);
});
