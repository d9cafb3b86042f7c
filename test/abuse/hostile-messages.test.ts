import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { MessageHeaders } from '../../src/amqp/index.js';
import { DEAD_LETTER_QUEUE } from '../../src/dispatch/engines/rabbitmq/topology.js';
import {
  deepHeaders,
  deepJson,
  openRawRabbit,
  type RawRabbit,
  type RawSketch,
} from '../contract/ground/raw-rabbit.js';
import { type Door, openDoor } from '../journey/ground/open-door.js';
import { createTestVhost, describeWith, type TestVhost, waitFor } from '../services/index.js';

/**
 * Hostile messages of other services in the queue of the engine `rabbitmq`, on a real broker: none stops the worker or
 * holds up the next, and what is refused lies among the dead letters byte for byte.
 */
describeWith('postgres', 'rabbitmq')('hostile messages in the queue of emails', () => {
  let vhost: TestVhost;
  let door: Door;
  let raw: RawRabbit;
  let emails = 0;
  beforeAll(async () => {
    vhost = await createTestVhost();
    raw = await openRawRabbit(vhost.url);
    door = await openDoor({
      config: {
        engine: { name: 'rabbitmq' },
        rabbitmq: { url: vhost.url },
        limits: { enabled: false },
      },
    });
    await door.postrider.start();
    await until(() => door.postrider.engine()?.up, 'the engine');
  });
  afterAll(async () => {
    await door?.close();
    await raw?.close();
    await vhost?.drop();
  });
  beforeEach(() => raw.connection.queuePurge({ queue: DEAD_LETTER_QUEUE }));

  const until = <T>(condition: () => Promise<T> | T, what: string) =>
    waitFor(condition, { timeoutMs: 20_000, what });
  const publish = (message: RawSketch) => raw.publish('EmailExchange', 'email.send', message);
  const letter = () => until(() => raw.take(DEAD_LETTER_QUEUE), 'the dead letter');
  const good = () => ({
    type: 'USER_CERTIFICATION',
    to: `good-${++emails}@example.net`,
    data: { code: '123456', expiresInMinutes: 10 },
  });
  const sent = (to: string) => door.provider.calls.some((call) => call.to === to);
  /** Published after the hostile one, so it would wait behind it. */
  async function expectGoodOneSent(): Promise<void> {
    const email = good();
    await publish({ body: email });
    await until(() => sent(email.to), 'the email after it');
  }

  it.each(
    [4000, 4150, 8000, 12_000, 20_000].flatMap(
      (depth) =>
        [
          [depth, 'application/json'],
          [depth, ''],
        ] as const,
    ),
  )(
    'JSON of %i levels, content type "%s" → a dead letter with the limit, the next email is sent and the process lives',
    async (depth, contentType) => {
      const body = deepJson(depth, good());
      await publish({ messageId: `deep-${depth}`, body, ...(contentType && { contentType }) });
      await expectGoodOneSent();
      const { body: kept, properties } = await letter();
      expect(kept.equals(Buffer.from(body))).toBe(true);
      expect(properties.text('contentType')).toBe(contentType || null);
      expect(properties.headers().values()).toMatchObject({
        'x-error-code': 'INVALID_JSON',
        'x-error-message': expect.stringMatching(/nested deeper than 64 levels/),
      });
    },
  );

  it('a dead letter of deep JSON is put back → 200, and it is refused again instead of "the broker does not answer"', async () => {
    await publish({ messageId: 'deep', contentType: 'application/json', body: deepJson(6000, good()) });
    const total = async () => (await door.call('GET', '/admin/broker/dead-letters')).body.messages;
    await until(async () => (await total()).length === 1, 'the dead letter');
    const answer = await door.call('POST', '/admin/broker/dead-letters/requeue', { body: { all: true } });
    expect(answer).toMatchObject({ status: 200, body: { requeued: 1 } });
    await until(async () => (await total())[0]?.retryCount === 1, 'it to be refused again');
    await expectGoodOneSent();
  });

  it.each<[string, RawSketch]>([
    [
      'blanks and numbers that JSON can say otherwise',
      { body: '{ "type" : "x",\n "n": 1.0, "e": 1E2, "big": 12345678901234567890 }' },
    ],
    ['duplicate keys and escapes', { body: '{"type":"x","a":1,"a":2,"s":"\\u00e4\\/"}' }],
    ['no JSON at all', { body: Buffer.from([0, 255, 1, 254]) }],
    ['nothing', { body: Buffer.alloc(0) }],
    ['a compressed body', { body: gzipSync('{"type":"x"}') }],
    ['a body of two frames', { body: `{"type":"${'x'.repeat(200_000)}"}` }],
  ])('%s, refused → byte for byte among the dead letters', async (_, sketch) => {
    for (const contentType of ['application/json', 'text/plain', 'application/octet-stream']) {
      await publish({ ...sketch, contentType });
      const { body, properties } = await letter();
      expect(body.equals(Buffer.from(sketch.body as string))).toBe(true);
      expect(properties.text('contentType')).toBe(contentType);
    }
  });

  it('headers of every type, refused → they stay as they were beside the reason', async () => {
    const bytes = Buffer.concat([
      MessageHeaders.of({
        text: 'ä',
        long: 7,
        big: 2n ** 62n,
        none: null,
        bytes: Buffer.from([0, 255]),
      }).write(),
      MessageHeaders.of({ nested: { list: [1, { deeper: true }] } }).write(),
      // A small number in one byte, a float, a decimal, a timestamp.
      Buffer.from('\u0004bytebA\u0005floatf', 'latin1'),
      Buffer.from([0x3f, 0x80, 0, 0]),
      Buffer.from('\u0003decD\u0002', 'latin1'),
      Buffer.from([0, 0, 1, 0]),
      Buffer.from('\u0004timeT', 'latin1'),
      Buffer.from([0, 0, 0, 0, 0x60, 0, 0, 0]),
    ]);
    await publish({ messageId: 'headers', headers: MessageHeaders.read(bytes), body: '{' });
    const headers = (await letter()).properties.headers();
    expect(headers.text('x-error-code')).toBe('INVALID_JSON');
    expect(
      headers
        .without((name) => name.startsWith('x-'))
        .write()
        .equals(bytes),
    ).toBe(true);
  });

  it('headers nested 20,000 tables deep → refused like any other, and the next email is sent', async () => {
    await publish({ messageId: 'deep-headers', headers: deepHeaders(20_000), body: '{' });
    await expectGoodOneSent();
    const { properties } = await letter();
    expect(properties.text('messageId')).toBe('deep-headers');
    expect(properties.headers().text('x-dropped-headers')).toBeNull();
    expect(properties.headers().text('x-error-code')).toBe('INVALID_JSON');
  });

  it('headers that fill the frame, refused → the largest go and are named', async () => {
    const headers = { small: 'kept', large: 'x'.repeat(130_700) };
    await publish({ messageId: 'full', headers, body: '{' });
    const kept = (await letter()).properties.headers();
    expect(kept.text('small')).toBe('kept');
    expect(kept.text('x-dropped-headers')).toBe('large');
    expect(kept.text('x-error-code')).toBe('INVALID_JSON');
  });

  it('copies to the queue itself (CC), refused → one dead letter, and no round without end', async () => {
    await publish({ messageId: 'copies', headers: { CC: ['email.send.queue'] }, body: '{' });
    const { properties } = await letter();
    expect(properties.headers().get('x-original-cc')).toEqual(['email.send.queue']);
    await expectGoodOneSent();
    expect(await raw.depth(DEAD_LETTER_QUEUE)).toBe(0);
  });

  it('Latin-1 → refused instead of mailed with U+FFFD', async () => {
    const email = { ...good(), data: { code: 'J\u00fcrgen', expiresInMinutes: 10 } };
    await publish({ contentType: 'application/json', body: Buffer.from(JSON.stringify(email), 'latin1') });
    const { properties } = await letter();
    expect(properties.headers().text('x-error-message')).toMatch(/not valid UTF-8/);
    expect(sent(email.to)).toBe(false);
  });

  it('a forged x-delivery-count on a classic queue → the email is accepted', async () => {
    const email = good();
    await publish({ messageId: `forged-${email.to}`, headers: { 'x-delivery-count': 1000 }, body: email });
    await until(() => sent(email.to), 'the email');
  });

  it('more than a request may be → refused with the limit, and the next email is sent', async () => {
    const body = `{"type":"x","text":"${'x'.repeat(17 * 1024 ** 2)}"}`;
    await publish({ messageId: 'large', contentType: 'application/json', body });
    await expectGoodOneSent();
    const { properties, body: kept } = await letter();
    expect(kept.length).toBe(body.length);
    expect(properties.headers().text('x-error-message')).toMatch(/larger than 16777216 bytes/);
  });

  it('a field is wrong → the reason names it once, and the log names field and message', async () => {
    const { to: _, ...nobody } = good();
    await publish({ messageId: 'nobody-1', body: nobody });
    const { properties } = await letter();
    expect(properties.headers().text('x-error-message')).toMatch(/^to is missing/);
    // Written once the broker has the letter, which may be read before.
    const line = await until(
      () => door.lines.map((text) => JSON.parse(text)).find((one) => one.messageId === 'nobody-1'),
      'the line',
    );
    expect(line).toMatchObject({ field: 'to', code: 'INVALID_PAYLOAD' });
  });

  it.each<[string, RawSketch]>([
    ['a message id that is not ASCII', { messageId: 'ä\u001b[2J' }],
    ['a forged message of our own', { appId: 'postrider', type: 'email.bell', body: deepJson(10_000, {}) }],
    [
      'a forged dead letter of our own',
      { appId: 'postrider', type: 'email.deadLetter', body: deepJson(10_000, {}) },
    ],
    [
      'headers of ours with other types',
      { headers: { 'x-retry-count': 'many', 'x-death': 7, 'x-error-code': [1] } },
    ],
    ['a retry count at its end', { headers: { 'x-retry-count': Number.MAX_SAFE_INTEGER } }],
  ])('%s → listed, put back, refused again and removed over HTTP', async (_, sketch) => {
    await publish({ body: '{', ...sketch });
    const list = async () => (await door.call('GET', '/admin/broker/dead-letters')).body;
    await until(async () => (await list()).total === 1, 'the dead letter');
    const back = await door.call('POST', '/admin/broker/dead-letters/requeue', { body: { all: true } });
    expect(back).toMatchObject({ status: 200, body: { requeued: 1, refused: [] } });
    await until(async () => (await list()).messages[0]?.retryCount > 0, 'it to be refused again');
    const purged = await door.call('POST', '/admin/broker/dead-letters/purge', { body: { all: true } });
    expect(purged.body).toMatchObject({ purged: 1 });
  });
});
