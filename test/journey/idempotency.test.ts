import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Accepted, createPostrider, defineEmail, type Postrider } from '../../src/index.js';
import { silentLogger } from '../../src/kernel/index.js';
import { forgetOldKeys } from '../../src/policy/index.js';
import { waitFor } from '../services/index.js';
import { openEmbedded } from './ground/open-embedded.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';

/** The same key gives the same answer once, on both stores. */
interface Subject {
  postrider: Postrider;
  close(): Promise<void>;
}

const subjects: Array<[string, () => Promise<Subject>]> = [
  ['PostgreSQL', () => openJourney()],
  ['PGlite', () => openEmbedded()],
];

describe.each(subjects)('idempotency on %s', (_name, open) => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await open();
  });
  afterAll(() => subject.close());

  const count = async (companyId: string) => {
    const database = await subject.postrider.ready();
    const { rows } = await database.query<{ n: number }>(
      'select count(*)::int as n from postrider.emails where tenant = $1',
      [companyId],
    );
    return rows[0]!.n;
  };

  test('same key and body → the first answer again, one email', async () => {
    const email = anEmail({ companyId: 'one' });
    const first = await subject.postrider.send(email, { idempotencyKey: 'k', requestId: 'r1' });
    const reordered = Object.fromEntries(Object.entries(email).reverse()) as unknown as typeof email;
    const again = await subject.postrider.send(reordered, { idempotencyKey: 'k', requestId: 'r2' });
    expect(again).toEqual(first);
    expect(await count('one')).toBe(1);
  });

  test('repeated after its expiry has passed → the first answer, not a refusal', async () => {
    const expiresAt = new Date(Date.now() + 2000);
    const email = anEmail({ companyId: 'late', expiresAt });
    const first = await subject.postrider.send(email, { idempotencyKey: 'k' });
    await waitFor(() => Date.now() > expiresAt.getTime(), { timeoutMs: 5000, what: 'the expiry' });
    await expect(subject.postrider.send(email)).rejects.toMatchObject({ field: 'expiresAt' });
    expect(await subject.postrider.send(email, { idempotencyKey: 'k' })).toEqual(first);
    expect(await count('late')).toBe(1);
  });

  test('input that is no email → refused with its field, with a key as without', async () => {
    const circle: Record<string, unknown> = {};
    circle.circle = circle;
    const wrong: Array<[unknown, string | undefined]> = [
      [anEmail({ metadata: circle }), 'metadata.circle.circle.circle.circle.circle'],
      [{ ...anEmail(), priority: 3n }, 'priority'],
      [{ ...anEmail(), companyId: 'a\0b' }, 'companyId'],
      [null, undefined],
      ['text', undefined],
    ];
    for (const [input, field] of wrong) {
      await expect(
        subject.postrider.send(input as Parameters<Postrider['send']>[0], { idempotencyKey: 'k' }),
      ).rejects.toMatchObject({ code: 'INVALID_PAYLOAD', field });
    }
  });

  test('same key, another body → IDEMPOTENCY_CONFLICT, nothing accepted', async () => {
    await subject.postrider.send(anEmail({ companyId: 'two' }), { idempotencyKey: 'k' });
    await expect(
      subject.postrider.send(anEmail({ companyId: 'two' }), { idempotencyKey: 'k' }),
    ).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT', status: 409 });
    expect(await count('two')).toBe(1);
  });

  test('same key of another company → an email of its own', async () => {
    const email = anEmail();
    const one = await subject.postrider.send({ ...email, companyId: 'three' }, { idempotencyKey: 'k' });
    const other = await subject.postrider.send({ ...email, companyId: 'four' }, { idempotencyKey: 'k' });
    expect(other.emailId).not.toBe(one.emailId);
  });

  test('a refused email → its key is free for the corrected one', async () => {
    const email = anEmail({ companyId: 'five', recipient: { recipientId: crypto.randomUUID(), email: '' } });
    const wrong = { ...email, recipient: { ...email.recipient!, email: email.to } };
    await expect(subject.postrider.send(wrong, { idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'RECIPIENT_NOT_FOUND',
    });
    const { recipient: _, ...right } = email;
    expect(await subject.postrider.send(right, { idempotencyKey: 'k' })).toMatchObject({ queued: true });
  });

  test('fifty at once → one email; each answer is the same or IDEMPOTENCY_IN_PROGRESS', async () => {
    const email = anEmail({ companyId: 'fifty' });
    const answers = await Promise.allSettled(
      Array.from({ length: 50 }, () => subject.postrider.send(email, { idempotencyKey: 'k' })),
    );
    const given = answers.filter(
      (answer): answer is PromiseFulfilledResult<Accepted> => answer.status === 'fulfilled',
    );
    expect(given.length).toBeGreaterThan(0);
    expect(new Set(given.map(({ value }) => value.emailId)).size).toBe(1);
    for (const answer of answers) {
      if (answer.status === 'rejected') {
        expect(answer.reason).toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS', retryable: true });
      }
    }
    expect(await count('fifty')).toBe(1);
  });

  test('a batch repeated with its key → the first answers again in order, no further emails', async () => {
    const batch = [0, 1, 2].map(() => anEmail({ companyId: 'batch' }));
    const first = await subject.postrider.sendBatch(batch, { idempotencyKey: 'k' });
    expect(first).toHaveLength(3);
    expect(await subject.postrider.sendBatch(batch, { idempotencyKey: 'k' })).toEqual(first);
    expect(await count('batch')).toBe(3);
  });

  test('the key of a batch for another batch, or for one email of it → IDEMPOTENCY_CONFLICT', async () => {
    const batch = [anEmail({ companyId: 'batch2' })];
    await subject.postrider.sendBatch(batch, { idempotencyKey: 'k' });
    const conflict = { code: 'IDEMPOTENCY_CONFLICT', status: 409 };
    const longer = [...batch, anEmail({ companyId: 'batch2' })];
    await expect(subject.postrider.sendBatch(longer, { idempotencyKey: 'k' })).rejects.toMatchObject(
      conflict,
    );
    await expect(subject.postrider.send(batch[0]!, { idempotencyKey: 'k' })).rejects.toMatchObject(conflict);
    expect(await count('batch2')).toBe(1);
  });

  test('a batch with a key and one bad email → nothing accepted, the key free for the corrected batch', async () => {
    const good = anEmail({ companyId: 'batch3' });
    const bad = { ...anEmail({ companyId: 'batch3' }), to: 'nobody' };
    await expect(subject.postrider.sendBatch([good, bad], { idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'INVALID_EMAIL',
      field: '[1].to',
    });
    expect(await subject.postrider.sendBatch([good], { idempotencyKey: 'k' })).toHaveLength(1);
    expect(await count('batch3')).toBe(1);
  });

  test('a batch with a key of two companies → refused with the field of the second', async () => {
    const batch = [anEmail({ companyId: 'batch4' }), anEmail({ companyId: 'batch5' })];
    await expect(subject.postrider.sendBatch(batch, { idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'INVALID_PAYLOAD',
      field: '[1].companyId',
    });
  });

  test('fifty equal batches at once → one batch', async () => {
    const batch = [0, 1, 2].map(() => anEmail({ companyId: 'fifty-batches' }));
    const answers = await Promise.allSettled(
      Array.from({ length: 50 }, () => subject.postrider.sendBatch(batch, { idempotencyKey: 'k' })),
    );
    for (const answer of answers) {
      if (answer.status === 'fulfilled') expect(answer.value).toHaveLength(3);
      else expect(answer.reason).toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' });
    }
    expect(await count('fifty-batches')).toBe(3);
  });

  test('old keys are forgotten → one of 23 hours still gives the first answer, one of 25 is gone', async () => {
    const database = await subject.postrider.ready();
    const keys = { fresh: 0, young: 2, late: 23, old: 25 };
    const first = new Map<string, string>();
    for (const [idempotencyKey, hours] of Object.entries(keys)) {
      const email = anEmail({ companyId: 'pruned', to: `${idempotencyKey}@example.net`, subject: 'Kept' });
      first.set(idempotencyKey, (await subject.postrider.send(email, { idempotencyKey })).emailId);
      await database.query(
        `update postrider.idempotency_keys set created_at = now() - $2::int * interval '1 hour'
         where tenant = 'pruned' and key = $1`,
        [idempotencyKey, hours],
      );
    }
    await forgetOldKeys(database);
    const { rows } = await database.query<{ key: string }>(
      "select key from postrider.idempotency_keys where tenant = 'pruned' order by key",
    );
    expect(rows.map(({ key }) => key)).toEqual(['fresh', 'late', 'young']);
    for (const { key } of rows) {
      const email = { ...anEmail({ companyId: 'pruned' }), to: `${key}@example.net`, subject: 'Kept' };
      const again = await subject.postrider.send(email, { idempotencyKey: key });
      expect([key, again.emailId]).toEqual([key, first.get(key)]);
    }
    expect(await count('pruned')).toBe(4);
  });

  test('a key older than a day → a new email', async () => {
    const email = anEmail({ companyId: 'old' });
    const first = await subject.postrider.send(email, { idempotencyKey: 'k' });
    const database = await subject.postrider.ready();
    await database.query(
      "update postrider.idempotency_keys set created_at = now() - interval '25 hours' where tenant = 'old'",
    );
    const second = await subject.postrider.send(email, { idempotencyKey: 'k' });
    expect(second.emailId).not.toBe(first.emailId);
    expect((await subject.postrider.send(email, { idempotencyKey: 'k' })).emailId).toBe(second.emailId);
  });
});

test('a key held by an open transaction → the second caller is told at once, not held', async () => {
  const journey: Journey = await openJourney();
  const client = await journey.pool.connect();
  try {
    await client.query('begin');
    const email = anEmail();
    await journey.postrider.send(email, { tx: client, idempotencyKey: 'k' });
    const before = performance.now();
    await expect(journey.postrider.send(email, { idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_IN_PROGRESS',
    });
    expect(performance.now() - before).toBeLessThan(10_000);
    await client.query('rollback');
    expect(await journey.postrider.send(email, { idempotencyKey: 'k' })).toMatchObject({ queued: true });
  } finally {
    client.release();
    await journey.close();
  }
});

test('repeated after its template or its domain is gone → the first answer, not a refusal', async () => {
  const journey = await openJourney();
  const note = defineEmail({
    type: 'passing_note',
    portal: 'org',
    category: 'notes',
    data: z.strictObject({}),
    sample: {},
    content: { subject: 'Note', html: '<p>Note</p>' },
  });
  const open = (parts: Parameters<typeof createPostrider>[0]) =>
    createPostrider({
      ...{ database: journey.url, from: { address: 'noreply@example.com' }, logger: silentLogger },
      ...parts,
    });
  const before = open({ types: [note] });
  const after = open({ config: { email: { allowedDomains: ['example.org'] } } });
  try {
    const typed = { type: 'passing_note', to: 'reader@example.net', data: {} } as unknown as ReturnType<
      typeof anEmail
    >;
    for (const [email, code] of [
      [typed, 'UNKNOWN_TYPE'],
      [anEmail(), 'RECIPIENT_NOT_ALLOWED'],
    ] as const) {
      const first = await before.send(email, { idempotencyKey: code });
      await expect(after.send(email)).rejects.toMatchObject({ code });
      expect(await after.send(email, { idempotencyKey: code })).toEqual(first);
    }
  } finally {
    await Promise.all([before.stop(), after.stop()]);
    await journey.close();
  }
});
