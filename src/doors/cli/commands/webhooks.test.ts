import { expect, test } from 'vitest';
import type { ApiCall } from '../application.js';
import { cliForTest } from '../cli.fixture.js';

function api(answer: object) {
  const asked: unknown[] = [];
  const call = (async (method: string, path: string, body?: object) => {
    asked.push([method, path, ...(body ? [body] : [])]);
    return answer;
  }) as ApiCall;
  return { asked, call };
}

test('webhooks create → asks for the endpoint and shows its secret once', async () => {
  const { asked, call } = api({ id: 'w1', secret: 'whsec_x' });
  const cli = cliForTest({ application: { call } });
  const args = ['--event', 'email.sent', 'email.bounced', '--company', 'alpha'];
  expect(await cli.run('webhooks', 'create', 'https://example.com/hook', ...args)).toBe(0);
  expect(asked).toEqual([
    [
      'POST',
      '/admin/webhooks',
      {
        url: 'https://example.com/hook',
        events: ['email.sent', 'email.bounced'],
        companyId: 'alpha',
      },
    ],
  ]);
  expect(cli.out.join()).toContain('whsec_x');
});

test('webhooks replay → a range, or one delivery', async () => {
  const { asked, call } = api({ replayed: 2 });
  const cli = cliForTest({ application: { call } });
  await cli.run('webhooks', 'replay', 'w1', '--since', '2026-01-01T00:00:00Z', '--all');
  await cli.run('webhooks', 'replay', 'w1', '--delivery', 'd/1');
  expect(asked).toEqual([
    ['POST', '/admin/webhooks/w1/replay', { since: '2026-01-01T00:00:00Z', status: 'all' }],
    ['POST', '/admin/webhooks/w1/deliveries/d%2F1/replay'],
  ]);
  expect(cli.out).toContain('2 replayed');
});

test('webhooks rotate, disable, remove → one call each', async () => {
  const { asked, call } = api({ secret: 's', status: 'disabled', url: 'https://example.com/' });
  const cli = cliForTest({ application: { call } });
  await cli.run('webhooks', 'rotate', 'w1', '--overlap', '2');
  await cli.run('webhooks', 'disable', 'w1');
  await cli.run('webhooks', 'remove', 'w1');
  expect(asked).toEqual([
    ['POST', '/admin/webhooks/w1/rotate', { overlapHours: 2 }],
    ['PATCH', '/admin/webhooks/w1', { status: 'disabled' }],
    ['DELETE', '/admin/webhooks/w1'],
  ]);
});
