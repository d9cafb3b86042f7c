import { describe, expect, it } from 'vitest';
import { PostriderError } from '../../../kernel/index.js';
import { cliForTest, EMAIL_ID } from '../cli.fixture.js';

const email = ['--to', 'a@example.com', '--subject', 'Hi', '--text', 'x'];
const worker = { name: 'w', host: 'h', pid: 1, beatAgeMs: 100, alive: true };
const busy = async () => ({
  byStatus: {},
  oldestWaitingSeconds: null,
  workers: [worker],
  pauses: [],
  routes: [],
});

/** An application whose email goes through these states, the last one staying. */
function going(states: string[], more: Record<string, unknown> = {}) {
  let at = 0;
  return {
    get: async () => ({ status: states[Math.min(at++, states.length - 1)], ...more }),
    overview: busy,
  };
}

describe('send', () => {
  it('one recipient → accepted; the id alone is on standard output', async () => {
    const cli = cliForTest();
    expect(await cli.run('send', ...email, '--from', 'me@example.com')).toBe(0);
    expect(cli.calls[1]).toEqual([
      'send',
      { to: 'a@example.com', subject: 'Hi', text: 'x', from: 'me@example.com' },
    ]);
    expect(cli.out).toEqual([EMAIL_ID]);
  });
  it('several recipients and HTML → passed on', async () => {
    const cli = cliForTest();
    await cli.run('send', '--to', 'a@example.com', 'b@example.com', '--subject', 'Hi', '--html', '<p>x</p>');
    expect(cli.calls[1]?.[1]).toEqual({
      to: ['a@example.com', 'b@example.com'],
      subject: 'Hi',
      html: '<p>x</p>',
    });
  });
  it('refused by the application → exit 2 with the field', async () => {
    const refusal = new PostriderError('INVALID_EMAIL', 'That is no address.', { field: 'to' });
    const cli = cliForTest({ application: { send: () => Promise.reject(refusal) } });
    expect(await cli.run('send', ...email)).toBe(2);
    expect(cli.notes[0]).toBe('INVALID_EMAIL That is no address. (to)');
  });
});

describe('send --wait', () => {
  it('sent in the end → exit 0, each state told once', async () => {
    const cli = cliForTest({ application: going(['pending', 'pending', 'processing', 'sent']) });
    expect(await cli.run('send', ...email, '--wait')).toBe(0);
    expect(cli.notes.slice(-3)).toEqual(['  pending', '  processing', '  sent']);
  });
  it('failed in the end → exit 1 with the reason, control characters made visible', async () => {
    const cli = cliForTest({ application: going(['failed'], { errorReason: '550 \u001b[2Jno' }) });
    expect(await cli.run('send', ...email, '--wait')).toBe(1);
    expect(cli.notes.at(-1)).toBe('  550 \\x1b[2Jno');
  });
  it('nothing happens → gives up after the limit', async () => {
    const cli = cliForTest({ application: going(['retry']) });
    expect(await cli.run('send', ...email, '--wait', '2')).toBe(1);
    expect(cli.notes.at(-1)).toContain('Still retry after 2 s');
    expect(cli.clock.monotonic()).toBe(2000);
  });
  it.each([
    [{ scope: 'all', value: '' }, 'all'],
    [{ scope: 'tenant', value: 'acme' }, 'tenant:acme'],
    [{ scope: 'type', value: 'welcome' }, 'type:welcome'],
    [{ scope: 'route', value: 'main' }, 'route:main'],
  ])('paused by %j → says so once, and goes on waiting', async (what, name) => {
    const pause = { ...what, reason: 'bounces', createdAt: '2026-01-01T00:00:00Z' };
    const overview = async () => ({ ...(await busy()), pauses: [pause] });
    const log = { companyId: 'acme', type: 'welcome', route: 'main' };
    const cli = cliForTest({ application: { ...going(['pending', 'pending', 'sent'], log), overview } });
    expect(await cli.run('send', ...email, '--wait')).toBe(0);
    expect(cli.notes.slice(-3)).toEqual([
      '  pending',
      `  Sending is paused (bounces); \`postrider resume ${name}\` lets it go.`,
      '  sent',
    ]);
  });
  it('a pause of others → not mentioned', async () => {
    const pause = { scope: 'tenant', value: 'other', reason: null, createdAt: '2026-01-01T00:00:00Z' };
    const overview = async () => ({ ...(await busy()), pauses: [pause] });
    const cli = cliForTest({
      application: { ...going(['pending', 'sent'], { companyId: 'acme' }), overview },
    });
    await cli.run('send', ...email, '--wait');
    expect(cli.notes.join('\n')).not.toContain('paused');
  });
  it('no worker is alive → says so at once', async () => {
    const overview = async () => ({ ...(await busy()), workers: [{ ...worker, alive: false }] });
    const cli = cliForTest({ application: { ...going(['pending']), overview } });
    expect(await cli.run('send', ...email, '--wait')).toBe(1);
    expect(cli.notes.at(-1)).toContain('No worker is running');
    expect(cli.clock.monotonic()).toBe(0);
  });
  it.each(['0', '1.5', 'soon', '-1'])('--wait=%s → exit 2, nothing sent', async (seconds) => {
    const cli = cliForTest();
    expect(await cli.run('send', ...email, `--wait=${seconds}`)).toBe(2);
    expect(cli.calls).toEqual([]);
  });
});

describe('the embedded store is open in another process', () => {
  const opening = () => Promise.reject(new PostriderError('STORE_LOCKED', 'in use'));
  const answer = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });

  it('it answers on the configured port → it is asked instead', async () => {
    const requests: Array<[string, string | null, unknown]> = [];
    const cli = cliForTest({
      opening,
      env: { PORT: '4000', POSTRIDER_API_KEY: 'k' },
      fetch: async (url, init) => {
        requests.push([String(url), new Headers(init?.headers).get('authorization'), init?.body]);
        if (String(url).endsWith('/health/live')) return answer(200, {});
        if (init?.method === 'POST')
          return answer(202, { queued: true, emailId: EMAIL_ID, requestId: 'r', status: 'pending' });
        return answer(200, { status: 'sent' });
      },
    });
    expect(await cli.run('send', ...email, '--wait')).toBe(0);
    expect(cli.out).toEqual([EMAIL_ID]);
    expect(requests[1]).toEqual([
      'http://127.0.0.1:4000/v1/email/send',
      'Bearer k',
      '{"to":"a@example.com","subject":"Hi","text":"x"}',
    ]);
  });
  it('its refusal → the same error as at home', async () => {
    const cli = cliForTest({
      opening,
      fetch: async (url) =>
        String(url).endsWith('/health/live')
          ? answer(200, {})
          : answer(400, { code: 'INVALID_EMAIL', detail: 'No address.', field: 'to' }),
    });
    expect(await cli.run('send', ...email)).toBe(2);
    expect(cli.notes[0]).toBe('INVALID_EMAIL No address. (to)');
  });
  it('nobody answers → STORE_LOCKED', async () => {
    const cli = cliForTest({ opening });
    expect(await cli.run('send', ...email)).toBe(1);
    expect(cli.notes[0]).toBe('STORE_LOCKED in use');
  });
});
