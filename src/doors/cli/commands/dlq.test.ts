import { describe, expect, test } from 'vitest';
import type { Operations } from '../../../operations.js';
import { cliForTest, EMAIL_ID } from '../cli.fixture.js';

/** A command line whose operations answer as told and write down what they were asked. */
function withDesk(deadLetters: Partial<Operations['deadLetters']>, desk: Partial<Operations> = {}) {
  const asked: unknown[] = [];
  const record =
    (act: (...args: never[]) => unknown) =>
    (...args: never[]) => {
      asked.push(args);
      return act(...args);
    };
  const wrap = <T extends object>(acts: T): T =>
    Object.fromEntries(Object.entries(acts).map(([name, act]) => [name, record(act)])) as T;
  const operations = { ...wrap(desk), deadLetters: wrap(deadLetters) } as Operations;
  return { ...cliForTest({ application: { operations: async () => operations } }), asked };
}

describe('postrider dlq', () => {
  const retry = async () => ({ retried: 2, refused: { 'needs-confirmation': 1 }, examples: [] });

  test('retry by filter → asks for it, says what was queued again and why the rest was not', async () => {
    const { run, out, asked } = withDesk({ retry });
    expect(await run('dlq', 'retry', '--company', 'acme', '--error', 'SMTP_550', '--days', '2')).toBe(0);
    expect(asked).toEqual([
      [
        { filter: { companyId: 'acme', days: 2, errorCode: 'SMTP_550' } },
        { by: 'cli', acceptDuplicates: false, onProgress: expect.any(Function) },
      ],
    ]);
    expect(out.join('\n')).toContain('Queued again: 2.');
    expect(out.join('\n')).toContain('--accept-duplicates');
  });

  test('retry by id with --accept-duplicates → hands both on', async () => {
    const { run, asked } = withDesk({ retry });
    expect(await run('dlq', 'retry', EMAIL_ID, '--accept-duplicates')).toBe(0);
    expect(asked).toMatchObject([[{ emailIds: [EMAIL_ID] }, { acceptDuplicates: true }]]);
  });

  test.each([
    ['nothing said', []],
    ['an id and a filter', [EMAIL_ID, '--company', 'acme']],
    ['no id', ['seven']],
    ['days that are no number', ['--days', 'two']],
  ])('retry with %s → wrong usage, nothing asked', async (_, args) => {
    const { run, asked, calls } = withDesk({ retry });
    expect(await run('dlq', 'retry', ...args)).toBe(2);
    expect(asked).toEqual([]);
    expect(calls.filter(([name]) => name === 'operations')).toEqual([]);
  });

  test('retry that queued nothing → exit 1', async () => {
    const { run } = withDesk({
      retry: async () => ({ retried: 0, refused: { 'not-dead': 1 }, examples: [] }),
    });
    expect(await run('dlq', 'retry', EMAIL_ID)).toBe(1);
  });

  test('list --groups → one line per error', async () => {
    const groups = async () => [{ errorCode: 'SMTP_550', status: 'failed', count: 7, newestId: EMAIL_ID }];
    const { run, out } = withDesk({ groups });
    expect(await run('dlq', 'list', '--groups')).toBe(0);
    expect(out).toEqual([`7  failed  SMTP_550  newest ${EMAIL_ID}`]);
  });

  test('show of an email that is none → said, exit 1', async () => {
    const { run, notes } = withDesk({ get: async () => null });
    expect(await run('dlq', 'show', EMAIL_ID)).toBe(1);
    expect(notes.join('\n')).toContain('EMAIL_NOT_FOUND');
  });

  test('discard --all with a reason → hands it on', async () => {
    const { run, out, asked } = withDesk({ discard: async () => ({ discarded: 3 }) });
    expect(await run('dlq', 'discard', '--all', '--reason', 'old')).toBe(0);
    expect(asked).toMatchObject([[{ filter: {} }, { by: 'cli', reason: 'old' }]]);
    expect(out).toEqual(['Discarded 3.']);
  });
});

describe('postrider cancel', () => {
  const cancelMany = async (_: object, { dryRun = false } = {}) => ({
    matching: 4,
    cancelled: dryRun ? 0 : 4,
    dryRun,
  });

  test('without --yes → only counts', async () => {
    const { run, out, asked } = withDesk({}, { cancelMany });
    expect(await run('cancel', '--type', 'weekly_focus')).toBe(0);
    expect(asked).toMatchObject([[{ type: 'weekly_focus' }, { dryRun: true }]]);
    expect(out.join('\n')).toContain('4 would be cancelled');
  });

  test('with --yes → cancels', async () => {
    const { run, out, asked } = withDesk({}, { cancelMany });
    expect(await run('cancel', '--status', 'all', '--yes')).toBe(0);
    expect(asked).toMatchObject([[{ status: 'all' }, { dryRun: false, by: 'cli' }]]);
    expect(out).toEqual(['Cancelled 4.']);
  });
});

describe('postrider erase', () => {
  const report = {
    emails: 2,
    cancelled: 1,
    redacted: 0,
    recipients: 1,
    idempotencyKeys: 0,
    left: 0,
    complete: true,
  };

  test('without --yes → refused before the store is opened', async () => {
    const { run, calls } = withDesk({}, { erase: async () => report });
    expect(await run('erase', '--email', 'ann@example.com')).toBe(2);
    expect(calls).toEqual([]);
  });

  test('with --yes → a report in counts; what is left → exit 1', async () => {
    const done = withDesk({}, { erase: async () => report });
    expect(await done.run('erase', '--email', 'ann@example.com', '--company', 'acme', '--yes')).toBe(0);
    expect(done.asked).toMatchObject([[{ email: 'ann@example.com', companyId: 'acme' }, {}]]);
    expect(done.out.join('\n')).toMatch(/emails +2/);
    const busy = withDesk({}, { erase: async () => ({ ...report, left: 1, complete: false }) });
    expect(await busy.run('erase', '--email', 'ann@example.com', '--yes')).toBe(1);
    expect(busy.notes.join('\n')).toContain('run it again');
  });
});
