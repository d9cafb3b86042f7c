import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillLog, LOG } from '../../bench/ground/fill-log.js';
import { createEmailLogs } from '../../src/email-logs.js';
import { systemClock } from '../../src/kernel/index.js';
import type { Database } from '../../src/store/index.js';
import { type Door, openDoor } from '../journey/ground/open-door.js';
import { describeWith, waitFor } from '../services/index.js';

/** The list of emails as the dashboard asks for it, with a million of them in the log. */
describeWith('postgres')('a million emails', () => {
  let door: Door;
  let client: pg.Client;
  beforeAll(async () => {
    door = await openDoor();
    client = new pg.Client({ connectionString: door.database.url });
    await client.connect();
    await client.query('set synchronous_commit = off');
    await client.query("set maintenance_work_mem = '256MB'");
    await fillLog(client, { count: 1_000_000, indexLast: true });
    // As autovacuum leaves it after a while; one that analyses meanwhile keeps pages from being marked as visible.
    await waitFor(
      async () => {
        await client.query('vacuum analyze postrider.emails, postrider.email_attempts');
        const { rows } = await client.query<{ visible: number }>(
          `select sum(relallvisible)::float8 / sum(relpages) as visible from pg_class
           where relname ~ '^(emails|email_attempts)_[0-9]+$'`,
        );
        return rows[0]!.visible > 0.99;
      },
      { timeoutMs: 120_000, what: 'the log to be vacuumed' },
    );
    await client.query(`update postrider.emails set to_address = 'Person-4711@Example.COM' where id = (
      select id from postrider.emails where to_address = '${LOG.recipient}' order by id desc limit 1)`);
  }, 600_000);
  afterAll(async () => {
    await client?.end();
    await door?.close();
  });

  test('every filter and every two of them → a page reads little of the log, whatever is asked', async () => {
    const plans: number[] = [];
    const explaining = {
      async query(text: string, values?: unknown[]) {
        const explained = await client.query(`explain (analyze, buffers, format json) ${text}`, values);
        const { Plan: plan } = explained.rows[0]['QUERY PLAN'][0];
        plans.push(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']);
        return client.query(text, values);
      },
    } as unknown as Database;
    // What looks up a message id is a statement of its own, with a name.
    const named = (text: string | { text: string }, values?: unknown[]) =>
      explaining.query(typeof text === 'string' ? text : text.text, values);
    const logs = createEmailLogs(async () => ({ ...explaining, query: named }) as Database, systemClock);
    const asked = FILTERS.flatMap((one, at) => [
      one,
      ...FILTERS.slice(at + 1)
        .filter((other) => !Object.keys(other).some((name) => name in one))
        .map((other) => ({ ...one, ...other })),
    ]);
    expect(asked.length).toBeGreaterThan(100);
    for (const filter of [{}, ...asked]) {
      plans.length = 0;
      await logs.list(filter);
      const blocks = plans.reduce((sum, count) => sum + count, 0);
      expect(blocks, JSON.stringify(filter)).toBeLessThan(MOST_BLOCKS);
    }
    const { rows } = await client.query<{ blocks: number }>(
      `select sum(relpages)::int as blocks from pg_class where relname ~ '^(emails|email_attempts)_'`,
    );
    expect(rows[0]!.blocks).toBeGreaterThan(MOST_BLOCKS * 10);
  });

  test('over HTTP, page after page and by every filter → within 200 ms at p95', async () => {
    const ask = async (query: Record<string, string>) => {
      const started = performance.now();
      const { status, body } = await door.call('GET', `/v1/emails?${new URLSearchParams(query)}`);
      expect(status).toBe(200);
      return { tookMs: performance.now() - started, body };
    };
    // A machine that stalls for a moment says nothing about the list: of three rounds the calmest counts.
    const rounds: number[] = [];
    for (let round = 0; round < 3; round++) {
      const times: number[] = [];
      for (const filter of [{}, ...FILTERS]) {
        let cursor: string | null = null;
        for (let page = 0; page < 8; page++) {
          const { tookMs, body } = await ask({ ...filter, ...(cursor && { cursor }) });
          times.push(tookMs);
          cursor = body.nextCursor;
          if (cursor === null) break;
        }
      }
      expect(times.length).toBeGreaterThan(60);
      rounds.push(times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)]!);
    }
    expect(Math.min(...rounds)).toBeLessThanOrEqual(200);
  });

  test('an address in any spelling → the same emails, also the one that is stored in capitals', async () => {
    const found = async (recipient: string) => {
      const { body } = await door.call('GET', `/v1/emails?recipient=${encodeURIComponent(recipient)}`);
      return body.emails.map(({ id, to }: { id: string; to: string }) => `${id} ${to}`);
    };
    const emails = await found(LOG.recipient);
    expect(emails).toHaveLength(10);
    expect(emails[0]).toContain('Person-4711@Example.COM');
    expect(await found(LOG.recipient.toUpperCase())).toEqual(emails);
    expect(await found('pErson-4711@example.Com')).toEqual(emails);
  });
});

/** Of a log of some 70,000 blocks; measured, the most that two filters together need is 4,200. */
const MOST_BLOCKS = 6_000;

const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** What the page of emails offers: each with something frequent, something rare, and something nobody has. */
const FILTERS: ReadonlyArray<Record<string, string>> = [
  { recipient: LOG.recipient },
  { recipient: 'nobody@example.com' },
  { status: 'sent' },
  { status: 'failed' },
  { status: 'cancelled' },
  { status: 'pending' },
  { type: LOG.type },
  { type: 'no-such-type' },
  { companyId: LOG.largeTenant },
  { companyId: LOG.smallTenant },
  { companyId: 'nobody' },
  { provider: 'smtp' },
  { provider: LOG.rareProvider },
  { provider: 'ses' },
  { messageId: '<nothing@example.com>' },
  { from: dayAgo(3) },
  { to: dayAgo(3) },
];
