import { describe, expect, test } from 'vitest';
import { cliForTest, EMAIL_ID } from './cli.fixture.js';

const report = { retried: 1, refused: {}, discarded: 1, matching: 1, cancelled: 1, complete: true };
const nothing = async () => report as never;
const desk = { retry: nothing, discard: nothing, list: async () => ({ deadLetters: [], nextCursor: null }) };
const operations = async () =>
  ({ deadLetters: desk, cancelMany: nothing, erase: nothing, leaveBus: async () => 0 }) as never;
const busDeadLetters = () => ({ list: async () => [], retry: nothing }) as never;
const suppressions = async () => ({ add: async () => 1, remove: async () => 1 }) as never;

describe('acts of the command line', () => {
  test.each([
    ['pause tenant:acme', 'postrider pause', 'tenant:acme'],
    ['resume all', 'postrider resume', 'all'],
    [`dlq retry ${EMAIL_ID}`, 'postrider dlq retry', EMAIL_ID],
    ['dlq discard --all', 'postrider dlq discard', null],
    ['cancel --type news --yes', 'postrider cancel', null],
    ['erase --email ada@example.net --yes', 'postrider erase', null],
    ['suppressions add ada@example.net', 'postrider suppressions add', '(address)'],
    ['schedules pause weekly', 'postrider schedules pause', 'weekly'],
    ['bus dlq retry e1', 'postrider bus dlq retry', 'e1'],
    ['bus dlq retry --all', 'postrider bus dlq retry', null],
    ['bus off', 'postrider bus off', null],
  ])('%s → noted once, without addresses', async (line, action, target) => {
    const cli = cliForTest({ application: { operations, suppressions, busDeadLetters } });
    expect(await cli.run(...line.split(' '))).toBe(0);
    expect(cli.acts).toEqual([{ action, target, companyId: null }]);
  });

  test.each([
    ...['status', 'schedules list', 'dlq list', 'cancel --type news', 'tenants list', 'doctor'],
    'bus dlq list',
  ])('%s → changes nothing here, nothing noted', async (line) => {
    const cli = cliForTest({
      application: { operations, busDeadLetters, call: async () => ({ tenants: [] }) as never },
    });
    await cli.run(...line.split(' '));
    expect(cli.acts).toEqual([]);
  });

  test('the note cannot be written → the act does not happen', async () => {
    const cli = cliForTest();
    cli.refuseNotes();
    expect(await cli.run('pause', 'all')).toBe(1);
    expect(cli.calls.map(([name]) => name)).not.toContain('pause');
  });

  test('a store that the act makes → noted after it', async () => {
    let fresh = true;
    const made = async () => {
      fresh = false;
      return { add: async () => 1 } as never;
    };
    const cli = cliForTest({ application: { isFresh: () => fresh, suppressions: made } });
    await cli.run('suppressions', 'add', 'ada@example.net', '--company', 'acme');
    expect(cli.acts).toMatchObject([{ action: 'postrider suppressions add', companyId: 'acme' }]);
  });
});
