import { describe, expect, it } from 'vitest';
import { PostriderError } from '../../kernel/index.js';
import { cliForTest, EMAIL_ID } from './cli.fixture.js';

describe('usage', () => {
  it.each([
    [['frobnicate'], "unknown command 'frobnicate'"],
    [['send', '--subject', 'Hi', '--text', 'x'], "required option '--to <address...>'"],
    [['send', '--to', 'a@example.com', '--text', 'x'], "required option '--subject <text>'"],
    [['send', '--to', 'a@example.com', '--subject', 'Hi'], 'An email needs --text or --html.'],
    [['send', '--to', 'a@example.com', '--subject', 'Hi', '--text', 'x', '--wat'], "unknown option '--wat'"],
    [['serve', '--roles', 'api,cook'], 'The roles are api, worker'],
    [['serve', '--roles', ''], 'The roles are api, worker'],
    [['pause'], "missing required argument 'what'"],
    [['pause', 'everything'], 'Say all, tenant:<name>'],
    [['resume', 'tenant:'], 'Say all, tenant:<name>'],
    [['status', 'not-an-id'], 'That is not the id of an email.'],
    [['status', EMAIL_ID, 'more'], 'too many arguments'],
    [['config', 'chekc'], "unknown command 'chekc'"],
  ])('%j → exit 2, says why, opens nothing', async (args, why) => {
    const cli = cliForTest();
    expect(await cli.run(...args)).toBe(2);
    expect(cli.notes.join('\n')).toContain(why);
    expect(cli.calls).toEqual([]);
  });
  it('--help and --version → exit 0 on standard output', async () => {
    const cli = cliForTest();
    expect(await cli.run('--help')).toBe(0);
    for (const name of ['dev', 'serve', 'migrate', 'send', 'status', 'pause', 'resume', 'config', 'doctor'])
      expect(cli.out.join('\n')).toMatch(new RegExp(`^ +${name}\\b`, 'm'));
    expect(await cli.run('--version')).toBe(0);
    expect(cli.out.at(-1)).toBe('9.9.9');
  });
});

describe('errors', () => {
  it('a wrong setting → exit 2 with every problem, before anything is opened', async () => {
    const cli = cliForTest({ env: { PORT: 'x', POSTRIDER_DATADIR: 'y' } });
    expect(await cli.run('migrate')).toBe(2);
    expect(cli.notes[0]).toContain('INVALID_CONFIG The configuration has 2 problems:\n  POSTRIDER_DATADIR');
    expect(cli.notes[0]).toContain('http.port (PORT) is "x"');
    expect(cli.calls).toEqual([]);
  });
  it('a fault → exit 1 with code, message and help; the application is closed', async () => {
    const fault = new PostriderError('STORE_UNAVAILABLE', 'connect ECONNREFUSED');
    const cli = cliForTest({ application: { migrate: () => Promise.reject(fault) } });
    expect(await cli.run('migrate')).toBe(1);
    expect(cli.notes.slice(-2)).toEqual(['STORE_UNAVAILABLE connect ECONNREFUSED', fault.help]);
    expect(cli.calls.at(-1)).toEqual(['stop', { deadlineMs: 0 }]);
  });
  it('a setting that fails in use → exit 2 with what helps, and no advice that would find nothing', async () => {
    const taken = new PostriderError('INVALID_CONFIG', 'PORT 1 is in use; set PORT to a free one, or 0.', {
      field: 'PORT',
      cause: new Error('EADDRINUSE'),
    });
    const cli = cliForTest({ application: { serve: () => Promise.reject(taken) } });
    expect(await cli.run('serve')).toBe(2);
    expect(cli.notes).toEqual(['INVALID_CONFIG PORT 1 is in use; set PORT to a free one, or 0.']);
  });
  it('closing fails after the command failed → both are told, the command first in the exit', async () => {
    const cli = cliForTest({
      application: {
        migrate: () => Promise.reject(new PostriderError('STORE_TOO_NEW', 'newer')),
        stop: () => Promise.reject(new Error('stuck')),
      },
    });
    expect(await cli.run('migrate')).toBe(1);
    expect(cli.notes).toContain('Closing failed as well: stuck');
    expect(cli.notes.join('\n')).toContain('STORE_TOO_NEW newer');
  });
  it('something unforeseen → exit 1 with its stack', async () => {
    const cli = cliForTest({ opening: () => Promise.reject(new TypeError('boom')) });
    expect(await cli.run('migrate')).toBe(1);
    expect(cli.notes[0]).toBe('INTERNAL boom');
    expect(cli.notes[1]).toContain('run-cli.test.ts');
  });
  it('a worker that begins with an unforeseen error → exit 1 with code, help and the stack of the cause', async () => {
    const failed = new PostriderError('START_FAILED', 'The worker could not begin: boom.', {
      cause: new TypeError('boom'),
    });
    const cli = cliForTest({ application: { serve: () => Promise.reject(failed) } });
    expect(await cli.run('serve')).toBe(1);
    expect(cli.notes.slice(0, 2)).toEqual(['START_FAILED The worker could not begin: boom.', failed.help]);
    expect(cli.notes[2]).toContain('run-cli.test.ts');
  });
  it('--config names a missing file → exit 2', async () => {
    const cli = cliForTest();
    expect(await cli.run('migrate', '--config', '/nowhere/x.json')).toBe(2);
    expect(cli.notes[0]).toContain('/nowhere/x.json (config file) does not exist.');
  });
});

describe('migrate', () => {
  it('two steps → each is told, then the result', async () => {
    const cli = cliForTest({
      application: {
        migrate: async (onProgress) => {
          onProgress({ migration: '0001_a', state: 'applied' });
          onProgress({
            migration: '0002_b',
            state: 'waiting',
            message: '0002_b has waited 3 s for a lock',
          });
          onProgress({ migration: '0002_b', state: 'applied' });
          return { applied: ['0001_a', '0002_b'], current: 2 };
        },
      },
    });
    expect(await cli.run('migrate')).toBe(0);
    expect(cli.notes).toEqual(['Migrating …', '  0001_a', '  0002_b has waited 3 s for a lock', '  0002_b']);
    expect(cli.out).toEqual(['2 applied; the schema is at 2.']);
  });
  it('watched by a person → a moving line that is gone at the end', async () => {
    const cli = cliForTest({ watched: true });
    expect(await cli.run('migrate')).toBe(0);
    expect(cli.notes).toContain('\r⠋ Migrating …');
    expect(cli.notes.at(-1)).toBe('\r');
    expect(cli.out).toEqual(['Nothing to do; the schema is at 6.']);
  });
});

describe('pause and resume', () => {
  it.each([
    ['all', ['pause', 'all', '', 'why']],
    ['tenant:acme', ['pause', 'tenant', 'acme', 'why']],
    ['route:a:b', ['pause', 'route', 'a:b', 'why']],
  ])('pause %s → scope and value', async (what, call) => {
    const cli = cliForTest();
    expect(await cli.run('pause', what, '--reason', 'why')).toBe(0);
    expect(cli.calls[1]).toEqual(call);
  });
  it('resume of what was not paused → said, no fault', async () => {
    const cli = cliForTest({ application: { resume: async () => 0 } });
    expect(await cli.run('resume', 'type:welcome')).toBe(0);
    expect(cli.out).toEqual(['Nothing was paused as type:welcome.']);
  });
});

describe('config', () => {
  const env = { SMTP_HOST: 'mail', SMTP_USERNAME: 'u', SMTP_PASSWORD: 'hunter2', PORT: '3400' };
  it('diff → only what differs, from where, secrets masked', async () => {
    const cli = cliForTest({ env });
    expect(await cli.run('config', 'diff')).toBe(0);
    expect(cli.out).toEqual([
      'smtp.host      mail      SMTP_HOST (default –)',
      'smtp.username  u         SMTP_USERNAME (default –)',
      'smtp.password  (hidden)  SMTP_PASSWORD (default –)',
    ]);
  });
  it('diff without differences → says so', async () => {
    const cli = cliForTest();
    expect(await cli.run('config', 'diff')).toBe(0);
    expect(cli.out).toEqual(['Every setting has its default.']);
  });
  it('check → every setting; what lost is told', async () => {
    const cli = cliForTest({ env: { SMTP_FROM_EMAIL: 'a@example.com', SMTP_FROM_ADDRESS: 'b@example.com' } });
    expect(await cli.run('config', 'check')).toBe(0);
    expect(cli.out.length).toBeGreaterThan(25);
    expect(cli.out.at(-1)).toBe('The configuration is fine.');
    expect(cli.notes).toEqual([
      'email.fromEmail is taken from SMTP_FROM_EMAIL; SMTP_FROM_ADDRESS says something too and is ignored.',
    ]);
  });
  it('check with problems → exit 2, as text and as JSON', async () => {
    const cli = cliForTest({ env: { PORT: 'x' } });
    expect(await cli.run('config', 'check')).toBe(2);
    expect(cli.out).toEqual(['✗ http.port (PORT) is "x" but must be a whole number from 0 to 65535.']);
    cli.out.length = 0;
    expect(await cli.run('config', 'check', '--json')).toBe(2);
    expect(JSON.parse(cli.out.join(''))).toMatchObject({ ok: false, problems: [{ key: 'http.port' }] });
  });
  it('check --json → settings without any secret', async () => {
    const cli = cliForTest({ env });
    expect(await cli.run('config', 'check', '--json')).toBe(0);
    expect(cli.out.join('')).not.toContain('hunter2');
    expect(JSON.parse(cli.out.join('')).settings).toContainEqual(
      expect.objectContaining({ key: 'smtp.host', value: 'mail', source: 'SMTP_HOST', differs: true }),
    );
  });
});

describe('doctor', () => {
  it('all fine → exit 0', async () => {
    const cli = cliForTest({
      application: { doctor: async () => [{ check: 'store', ok: true, message: 'ok' }] },
    });
    expect(await cli.run('doctor')).toBe(0);
    expect(cli.out).toEqual([
      '✓ node: Node v20.19.0',
      '✓ configuration: Every setting can be used.',
      '✓ store: ok',
    ]);
  });
  it('something to know about → marked with its help, exit 0', async () => {
    const note = { check: 'workers', ok: true, note: true, message: '0 alive', help: 'Start one.' };
    const cli = cliForTest({ application: { doctor: async () => [note] } });
    expect(await cli.run('doctor')).toBe(0);
    expect(cli.out.slice(-2)).toEqual(['! workers: 0 alive', '  Start one.']);
  });
  it('one finding is bad → exit 1 with its help', async () => {
    const bad = { check: 'smtp', ok: false, message: 'refused', help: 'Check SMTP_HOST.' };
    const cli = cliForTest({ application: { doctor: async () => [bad] } });
    expect(await cli.run('doctor')).toBe(1);
    expect(cli.out.slice(-2)).toEqual(['✗ smtp: refused', '  Check SMTP_HOST.']);
  });
  it('the store cannot be opened, or a setting is wrong → a finding, as JSON too', async () => {
    const locked = cliForTest({
      opening: () => Promise.reject(new PostriderError('STORE_LOCKED', 'in use')),
    });
    expect(await locked.run('doctor', '--json')).toBe(1);
    expect(JSON.parse(locked.out.join('')).findings.at(-1)).toMatchObject({ check: 'opening', ok: false });
    const wrong = cliForTest({ env: { PORT: 'x' }, nodeVersion: 'v20.18.1' });
    expect(await wrong.run('doctor', '--json')).toBe(1);
    const { findings } = JSON.parse(wrong.out.join(''));
    expect(findings.map((finding: { ok: boolean }) => finding.ok)).toEqual([false, false]);
  });
});
