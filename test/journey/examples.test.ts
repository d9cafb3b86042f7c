import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createPostrider, type EventType } from '../../src/index.js';
import { EVENT_METADATA } from '../architecture/states-page.js';
import { type RecordingSink, startRecordingSink } from '../chaos/ground/recording-sink.js';
import {
  createEmptyDatabase,
  describeWith,
  queryOnce,
  type TestDatabase,
  waitFor,
} from '../services/index.js';

/**
 * Every program in examples/, compiled and run as a reader would run it: a process of its own that prints what it
 * says and ends by itself. What it sent is counted at a real SMTP server.
 */
const run = promisify(execFile);
const OUT = '.build/examples-run';
/** The file, what it prints, and how many messages the server gets. */
const PROGRAMS: Record<string, { prints: string[]; delivered: number }> = {
  'in-your-transaction': { prints: ['committed:   sent', 'rolled back: never existed'], delivered: 1 },
  'with-postgres-js': { prints: ['same email:  true', 'it is:       sent'], delivered: 1 },
  embedded: {
    prints: ['1 ENQUEUED', '2 RECEIVED', '3 VALIDATED', '4 SENT_ATTEMPT', '5 SENT'],
    delivered: 1,
  },
  'schedule-and-cancel': {
    prints: [
      'reminder:    scheduled',
      'cancelled:   cancelled',
      'code:        sent',
      'too late:    EMAIL_NOT_CANCELLABLE',
    ],
    delivered: 1,
  },
  'typed-email': {
    prints: [
      'own type:    sent',
      'subject:     Unterwegs',
      'built-in:    sent',
      'refused:     INVALID_PAYLOAD data.trackUrl',
    ],
    delivered: 2,
  },
  'own-provider': { prints: ['status:      sent', 'attempts:    2'], delivered: 0 },
  'api-in-your-server': {
    prints: ['without a key: 401', 'with the key:  202', 'it is:         sent'],
    delivered: 1,
  },
};

it('examples/ → holds only what is run here, and its page names all of it', () => {
  const files = readdirSync('examples').sort();
  const known = [...Object.keys(PROGRAMS).map((name) => `${name}.ts`), 'from-any-language.sql'];
  expect(files).toEqual([...known, 'README.md', 'tsconfig.json', 'until-ended.ts'].sort());
  const page = readFileSync('examples/README.md', 'utf8');
  for (const file of known) expect(page).toContain(`\`${file}\``);
});

describeWith('postgres')('the examples', () => {
  let database: TestDatabase;
  let sink: RecordingSink;
  let folder: string;

  beforeAll(async () => {
    const tsc = join(
      dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
      'bin',
      'tsc',
    );
    await run(process.execPath, [tsc, '-p', 'examples', '--outDir', OUT]);
  });
  afterAll(() => rmSync(OUT, { recursive: true, force: true }));

  beforeEach(async () => {
    database = await createEmptyDatabase();
    sink = await startRecordingSink();
    folder = mkdtempSync(join(tmpdir(), 'postrider-example-'));
  });
  afterEach(async () => {
    await sink.stop();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [name, { prints, delivered }] of Object.entries(PROGRAMS)) {
    it(`${name} → prints what it says, ends by itself, delivers ${delivered}`, async () => {
      const { stdout } = await run(process.execPath, [`${OUT}/examples/${name}.js`], {
        env: environment(),
        timeout: 240_000,
      });
      expect(stdout.split('\n').filter((line) => line !== '' && !line.startsWith('{'))).toEqual(prints);
      expect([...sink.taken.values()].flat()).toHaveLength(delivered);
      if (name !== 'embedded') expect(await undocumented(database.url)).toEqual([]);
    });
  }

  it('from-any-language.sql → commits an email that a worker validates and delivers', async () => {
    const postrider = createPostrider({
      database: database.url,
      config: { smtp: { host: '127.0.0.1', port: sink.port }, log: { level: 'silent' } },
    });
    try {
      await postrider.start();
      await queryOnce(database.url, readFileSync('examples/from-any-language.sql', 'utf8'));
      await waitFor(() => sink.taken.size === 1, { timeoutMs: 10_000, what: 'the email at the server' });
      const [emailId = ''] = sink.taken.keys();
      await waitFor(async () => (await postrider.get(emailId))?.status === 'sent', {
        timeoutMs: 10_000,
        what: 'sent',
      });
      expect(await postrider.get(emailId)).toMatchObject({ companyId: 'acme', type: 'welcome' });
    } finally {
      await postrider.stop();
    }
  });

  function environment(): NodeJS.ProcessEnv {
    return {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      POSTRIDER_DATA_DIR: folder,
      POSTRIDER_LOG_LEVEL: 'warn',
      SMTP_HOST: '127.0.0.1',
      SMTP_PORT: String(sink.port),
      SMTP_FROM_EMAIL: 'noreply@example.com',
    };
  }
});

/** Metadata that events carry and docs/STATES.md does not name. */
async function undocumented(url: string): Promise<string[]> {
  const rows = await queryOnce<{ type: EventType; key: string }>(
    url,
    'select distinct type::text, jsonb_object_keys(metadata) as key from postrider.email_events',
  );
  return rows
    .filter(({ type, key }) => !EVENT_METADATA[type].includes(key))
    .map(({ type, key }) => `${type}.${key}`);
}
