import type pg from 'pg';
import type { Attack, Outcome } from '../attack.js';
import { type Entry, odd, oddJson, structures, tokens } from '../dictionary.js';
import type { Target } from '../target.js';

/**
 * Every argument of every function that a role may call which has been given nothing but the use of the schema and
 * `accept_v1`. What is accepted is then sent, and read in every list. Which functions there are, the database says.
 */
const KB = 1024;
const MB = 1024 ** 2;
const SIZES = [500 * KB, 16 * MB];

/** The functions that may be called, with the types of their arguments; `unknownFunctions` compares. */
const SQL_FUNCTIONS: Record<string, Record<string, string>> = {
  accept_v1: {
    ...{ to_address: 'text', subject: 'text', html: 'text', text_body: 'text', from_address: 'text' },
    ...{
      company_id: 'text',
      type: 'text',
      priority: 'int4',
      scheduled_at: 'timestamptz',
      expires_at: 'timestamptz',
    },
    ...{ headers: 'jsonb', reply_to: 'text', user_id: 'text', recipient_id: 'uuid', metadata: 'jsonb' },
    ...{ request_id: 'text', delivery: 'text', retry: 'text', max_attempts: 'int4', route: 'text' },
  },
  attempt_event: {
    ...{
      status: 'postrider.email_status',
      reason: 'text',
      code: 'text',
      attempt: 'int4',
      next_attempt_at: 'timestamptz',
    },
  },
  add_quota_share: { of_tenant: 'text', of_period: 'text', number: 'int2' },
  fact_event: { fact: 'postrider.event_type', detail: 'jsonb' },
  ensure_partitions: { weeks_ahead: 'int4' },
  id_bucket: { id: 'uuid' },
  id_floor: { at: 'timestamptz' },
  is_plain_json: { given: 'jsonb' },
  is_time_zone: { zone: 'text' },
  iso_time: { at: 'timestamptz' },
  listen_for_bus: { events: 'text[]' },
  merge_keys: { base: 'jsonb', given: 'jsonb' },
  take_quotas: { tenants: 'text[]', wanted: 'int4[]' },
};
/** They take no text: nothing, or rows of our own tables. */
const WITHOUT_TEXT = [
  'new_id',
  'fine_tallies_from',
  'wake_two',
  'recognize_epoch',
  'listen_for_webhooks',
  'leave_bus',
  'add_to_tally_sums',
  'webhook_payload',
];

/** Functions of the store that nothing here attacks. */
export async function unknownFunctions(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select distinct proname::text as name from pg_proc
     where pronamespace = 'postrider'::regnamespace and prorettype <> 'trigger'::regtype
       and (prosecdef or has_function_privilege('pg_monitor', oid, 'execute'))`,
  );
  return rows
    .map(({ name }) => name)
    .filter((name) => !(name in SQL_FUNCTIONS) && !WITHOUT_TEXT.includes(name));
}

/** What each argument is, where it is not the one attacked. */
const USUAL: Record<string, string> = {
  ...{
    text: 'x',
    int2: '1',
    int4: '1',
    timestamptz: 'now',
    uuid: '01a1def1-9ed6-7000-8fe3-719f10b82e28',
    jsonb: '{}',
  },
  ...{ 'text[]': '{x}', 'int4[]': '{1}', 'postrider.email_status': 'sent', 'postrider.event_type': 'SENT' },
};
/** accept_v1 has a default for the others. */
const ORDINARY = { to_address: 'a@example.net', subject: 'x', text_body: 'x' };

function usualOf(name: string): Record<string, string> {
  if (name === 'accept_v1') return ORDINARY;
  return Object.fromEntries(
    Object.entries(SQL_FUNCTIONS[name]!).map(([parameter, type]) => [parameter, USUAL[type] ?? '']),
  );
}

export function* sqlAttacks(): Generator<Attack> {
  for (const [name, parameters] of Object.entries(SQL_FUNCTIONS))
    for (const [parameter, type] of Object.entries(parameters)) {
      for (const value of ODD_OF_TYPE[type] ?? [])
        yield call(name, parameter, { name: `value ${value}`, make: () => value }, 0);
      for (const entry of type === 'jsonb' ? jsonEntries : [])
        for (const bytes of SIZES) yield call(name, parameter, entry, bytes);
      if (type !== 'text') continue;
      for (const entry of odd) yield call(name, parameter, entry, 0);
      for (const entry of tokens) yield call(name, parameter, { ...entry, name: `${entry.name}, short` }, 60);
      for (const entry of tokens) for (const bytes of SIZES) yield call(name, parameter, entry, bytes);
    }
}

/** Those of a type that its parser takes and that few programs expect. */
const ODD_OF_TYPE: Record<string, string[]> = {
  int4: ['-2147483648', '-1', '0', '2', '32767', '32768', '2147483647'],
  timestamptz: [
    ...[
      'infinity',
      '-infinity',
      '4713-01-01 BC',
      '294276-12-31',
      '200000-01-01',
      '9999-12-31',
      '0001-01-01',
      'epoch',
      'now',
    ],
    ...['1600-02-29 12:00:00.123456+15:59', '2026-12-31T23:59:60Z', 'today'],
  ],
  'text[]': ['{}', '{NULL}', '{{a},{b}}', `{${'a,'.repeat(100_000)}a}`],
  'int4[]': ['{}', '{NULL}', '{2147483647,1}'],
  uuid: ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  jsonb: [
    ...[
      'null',
      'true',
      '1',
      '[]',
      '{}',
      '""',
      '[null]',
      '{"a":null}',
      '{"":""}',
      '{"a":1e400}',
      '{"X-A":1}',
      '{"X-A":["b"]}',
    ],
    ...[
      '{"X-A":{"b":1}}',
      '{"X-A":"a\\r\\nBcc: eve@example.com"}',
      '{"X A":"b"}',
      '{"__proto__":"b"}',
      '{"To":"b"}',
      '{"X-A":""}',
    ],
    ...[
      '{"attachments":[{"filename":"a"}]}',
      '{"X-\\ud83d\\ude00":"b"}',
      '{"DKIM-Signature":"x"}',
      '{"Message-ID":"x"}',
    ],
    ...oddJson.map(([, json]) => json),
  ],
};

const jsonEntries: Entry[] = [
  ...structures,
  ...tokens.map(({ name, make }) => ({
    name: `text ${name}`,
    make: (bytes: number) => JSON.stringify({ 'X-A': make(Math.floor(bytes / 2)) }),
  })),
  ...tokens.map(({ name, make }) => ({
    name: `name ${name}`,
    make: (bytes: number) => JSON.stringify({ [make(Math.floor(bytes / 2))]: 'a' }),
  })),
];

function call(name: string, parameter: string, entry: Entry, bytes: number): Attack {
  return {
    ...{ wayIn: `SQL ${name}`, field: parameter, entry: entry.name, bytes: Math.max(bytes, 4 * KB) },
    async run(target) {
      const given = { ...usualOf(name), [parameter]: entry.make(bytes) };
      return callFunction(target, name, given);
    },
  };
}

async function callFunction(target: Target, name: string, given: Record<string, string>): Promise<Outcome> {
  const types = SQL_FUNCTIONS[name]!;
  const list = Object.keys(given).map(
    (parameter, index) => `${parameter} => $${index + 1}::text::${types[parameter]}`,
  );
  const client = await target.pool.connect();
  try {
    await client.query('set statement_timeout = 30000');
    await client.query(`set role ${target.callerRole}`);
    await client.query(`select from postrider.${name}(${list.join(', ')})`, Object.values(given));
    return { status: '200', answerBytes: 0 };
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string };
    // A crash or a timeout of the server is not a refusal.
    const wrong = /^(?:57|53|XX)/.test(code) ? { wrong: `SQL ${code} ${message.slice(0, 200)}` } : {};
    return { status: `SQL ${code}`, answerBytes: 0, ...wrong };
  } finally {
    client.release(true);
  }
}
