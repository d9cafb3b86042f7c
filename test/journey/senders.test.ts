import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPostrider, type Postrider } from '../../src/index.js';
import { waitFor } from '../services/index.js';
import { openEmbedded } from './ground/open-embedded.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';
import { scriptedProvider } from './ground/scripted-provider.js';

/** From which domains a tenant may send: asked at every door, in every kind of transaction. */
describe('from-domains', () => {
  let journey: Journey;
  beforeAll(async () => {
    journey = await openJourney();
    const { tenants } = journey.postrider.access;
    await tenants.create({ companyId: 'listed', fromDomains: ['shop.example'] });
    await tenants.create({ companyId: 'free' });
    await tenants.create({ companyId: 'mute', fromDomains: [] });
  });
  afterAll(() => journey.close());

  const refusal = (sending: Promise<unknown>) =>
    sending.then(
      () => null,
      (error) => [error.code, error.field],
    );

  test('a listed domain, the default sender, a tenant without a list → accepted', async () => {
    for (const parts of [
      { companyId: 'listed', from: 'a@Shop.Example' },
      { companyId: 'listed' },
      { companyId: 'mute' },
      { companyId: 'free', from: 'a@anything.example' },
      { companyId: 'never-made', from: 'a@anything.example' },
    ]) {
      expect(await refusal(journey.postrider.send(anEmail(parts))), JSON.stringify(parts)).toBeNull();
    }
  });

  test.each([
    ['another domain', { companyId: 'listed', from: 'a@other.example' }],
    ['a subdomain', { companyId: 'listed', from: 'a@mail.shop.example' }],
    ['an empty list', { companyId: 'mute', from: 'a@shop.example' }],
  ])('%s → refused, naming from', async (_case, parts) => {
    expect(await refusal(journey.postrider.send(anEmail(parts)))).toEqual(['SENDER_NOT_ALLOWED', 'from']);
  });

  test('one of a batch → all refused, naming which', async () => {
    const batch = [anEmail(), anEmail({ companyId: 'listed', from: 'a@other.example' })];
    expect(await refusal(journey.postrider.sendBatch(batch))).toEqual(['SENDER_NOT_ALLOWED', '[1].from']);
    expect(
      await journey.pool.query('select 1 from postrider.emails where to_address = $1', [batch[0]!.to]),
    ).toMatchObject({ rowCount: 0 });
  });

  test("in the caller's transaction → refused, and the transaction goes on", async () => {
    const client = await journey.pool.connect();
    try {
      await client.query('begin');
      const foreign = anEmail({ companyId: 'listed', from: 'a@other.example' });
      expect(await refusal(journey.postrider.send(foreign, { tx: client }))).toEqual([
        'SENDER_NOT_ALLOWED',
        'from',
      ]);
      const { emailId } = await journey.postrider.send(anEmail({ companyId: 'listed' }), { tx: client });
      await client.query('commit');
      expect(await journey.postrider.get(emailId)).not.toBeNull();
    } finally {
      client.release();
    }
  });

  test('a list that changes → holds within a second', async () => {
    const { tenants } = journey.postrider.access;
    await tenants.create({ companyId: 'moving' });
    const send = () =>
      refusal(journey.postrider.send(anEmail({ companyId: 'moving', from: 'a@old.example' })));
    expect(await send()).toBeNull();
    await tenants.change('moving', { fromDomains: ['new.example'] });
    const at = performance.now();
    await waitFor(() => performance.now() - at > 1000, { timeoutMs: 2000, what: 'a second to pass' });
    expect(await send()).toEqual(['SENDER_NOT_ALLOWED', 'from']);
  });

  test('by SQL → another domain or a disabled tenant is an error and nothing is written; a listed one is accepted', async () => {
    const accept = (company: string, from: string | null) =>
      journey.pool.query(
        `select postrider.accept_v1('sql@example.net', 'By SQL', text_body => 'x', company_id => $1, from_address => $2)`,
        [company, from],
      );
    await journey.postrider.access.tenants.create({ companyId: 'off' });
    await journey.postrider.access.tenants.change('off', { disabled: true });
    await expect(accept('listed', 'a@other.example')).rejects.toThrow('may not send');
    await expect(accept('mute', 'a@shop.example')).rejects.toThrow('may not send');
    await expect(accept('off', null)).rejects.toThrow('disabled');
    for (const [company, from] of [
      ['listed', 'a@Shop.example'],
      ['listed', null],
      ['free', 'a@any.example'],
      ['never-made', 'a@any.example'],
    ] as const)
      await accept(company, from);
    const { rowCount } = await journey.pool.query(
      `select 1 from postrider.emails where to_address = 'sql@example.net'`,
    );
    expect(rowCount).toBe(4);
  });

  test('strict → a tenant without a list has the default sender alone', async () => {
    const strict: Postrider = createPostrider({
      database: journey.url,
      provider: scriptedProvider(),
      from: { address: 'noreply@example.com' },
      config: { access: { strictSenders: true }, log: { level: 'silent' } },
    });
    try {
      expect(await refusal(strict.send(anEmail({ companyId: 'free', from: 'a@any.example' })))).toEqual([
        'SENDER_NOT_ALLOWED',
        'from',
      ]);
      expect(await refusal(strict.send(anEmail({ companyId: 'free' })))).toBeNull();
      expect(await refusal(strict.send(anEmail({ companyId: 'listed', from: 'a@shop.example' })))).toBeNull();
    } finally {
      await strict.stop();
    }
  });
});

test('from-domains on the embedded store, with a key and in a transaction → refused, and all goes on', async () => {
  const { postrider, close } = await openEmbedded();
  try {
    await postrider.access.tenants.create({ companyId: 'listed', fromDomains: ['shop.example'] });
    const foreign = anEmail({ companyId: 'listed', from: 'a@other.example' });
    for (const options of [{}, { idempotencyKey: 'k' }]) {
      await expect(postrider.send(foreign, options)).rejects.toMatchObject({ code: 'SENDER_NOT_ALLOWED' });
    }
    await postrider.transaction(async (tx) => {
      await expect(postrider.send(foreign, { tx })).rejects.toMatchObject({ code: 'SENDER_NOT_ALLOWED' });
      await postrider.send(anEmail({ companyId: 'listed' }), { tx });
    });
  } finally {
    await close();
  }
});
