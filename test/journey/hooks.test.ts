import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assembleHooks } from '../../src/assemble-hooks.js';
import { loadConfig } from '../../src/config.js';
import { snsTopic } from '../../src/doors/hooks/sns.fixture.js';
import { createHttpApp } from '../../src/doors/http/index.js';
import { httpRooms } from '../../src/http-rooms.js';
import { silentLogger, systemClock } from '../../src/kernel/index.js';
import { type Door, openDoor, ROOT } from './ground/open-door.js';
import { anEmail } from './ground/open-journey.js';

/** Reports of providers and mail servers, from the request to the timeline and the list of suppressions. */
describe('events in', () => {
  const topic = snsTopic();
  const secret = `whsec_${Buffer.alloc(24, 5).toString('base64')}`;
  const fetched: string[] = [];
  let door: Door;
  let app: ReturnType<typeof createHttpApp>;

  beforeAll(async () => {
    door = await openDoor();
    await door.postrider.start();
    const config = loadConfig({
      env: { SES_SNS_TOPIC_ARNS: topic.topicArn, RESEND_WEBHOOK_SECRET: secret },
      file: null,
    });
    const hooks = assembleHooks(config, {
      database: () => door.postrider.ready(),
      suppressions: door.postrider.suppressions,
      clock: systemClock,
      fetchText: async (url) => {
        fetched.push(url);
        return topic.certificate;
      },
    });
    app = createHttpApp({
      rooms: { ...httpRooms(door.postrider), hooks },
      ...{ logger: silentLogger, clock: systemClock, apiKey: ROOT, access: door.postrider.access },
      bodyLimitBytes: 1024 ** 2,
    });
  });
  afterAll(() => door.close());

  /** An email that a provider has taken under an id of its own. */
  async function sent(provider: 'ses' | 'resend', providerMessageId: string, to?: string) {
    const email = anEmail(to === undefined ? {} : { to });
    const { emailId } = await door.postrider.schedule(email, new Date(Date.now() + 3_600_000));
    await door.pool.query('delete from postrider.email_queue where id = $1', [emailId]);
    await door.pool.query(
      `insert into postrider.email_attempts (email_id, attempt, token, status, final, events, offsets_ms, started_at,
         duration_ms, route, worker, provider, provider_message_id)
       values ($1, 1, 1, 'sent', true, '{RECEIVED,VALIDATED,SENT_ATTEMPT,SENT}', '{0,1,2,3}', now() - interval '1 s', 3, 'default', 1, $2, $3)`,
      [emailId, provider, providerMessageId],
    );
    return { emailId, to: email.to };
  }
  const post = async (path: string, body: string, headers: Record<string, string> = {}) => {
    const answer = await app.request(path, { method: 'POST', body, headers });
    // biome-ignore lint/suspicious/noExplicitAny: the tests look at whatever comes
    return { status: answer.status, body: (await answer.json()) as any };
  };
  const ses = (event: object, options?: { id?: string; version?: '1' | '2' }) =>
    post('/hooks/ses', JSON.stringify(topic.notification(event, options)), {
      'Content-Type': 'text/plain; charset=UTF-8',
    });
  const resend = (event: object, id: string, key = secret) => {
    const raw = JSON.stringify(event);
    const at = new Date();
    return post('/hooks/resend', raw, {
      'svix-id': id,
      'svix-timestamp': String(Math.floor(at.getTime() / 1000)),
      'svix-signature': new Webhook(key).sign(id, at, raw),
    });
  };
  const types = async (emailId: string) =>
    (await door.postrider.timeline(emailId)).map(({ type }) => type).slice(5);
  const reasons = async (email: string) =>
    (await door.postrider.suppressions.find(email)).map(({ reason, emailId }) => [reason, emailId]);
  const bounce = (messageId: string, address: string, bounceType = 'Permanent') => ({
    notificationType: 'Bounce',
    mail: { messageId },
    bounce: {
      bounceType,
      bounceSubType: 'General',
      timestamp: new Date().toISOString(),
      bouncedRecipients: [{ emailAddress: address, diagnosticCode: 'smtp; 550 5.1.1 unknown' }],
    },
  });

  test('SES reports a permanent bounce twice → one BOUNCED, one suppression; lifted by hand it stays lifted', async () => {
    const { emailId, to } = await sent('ses', 'ses-1');
    expect((await ses(bounce('ses-1', to.toUpperCase()), { id: 'n1' })).body).toEqual({ result: 'recorded' });
    expect(await types(emailId)).toEqual(['BOUNCED']);
    expect(await reasons(to)).toEqual([['bounce', emailId]]);
    await door.postrider.suppressions.remove({ email: to });
    expect((await ses(bounce('ses-1', to.toUpperCase()), { id: 'n1' })).body).toEqual({ result: 'known' });
    expect(await types(emailId)).toEqual(['BOUNCED']);
    expect(await reasons(to)).toEqual([]);
  });

  test('SES reports a transient bounce, a delivery, an opening and a click, out of order → all stand, in order of time', async () => {
    const { emailId, to } = await sent('ses', 'ses-2');
    const at = (ms: number) => new Date(Date.now() - ms).toISOString();
    await door.pool.query(
      "update postrider.email_attempts set settled_at = now() - interval '1 hour', started_at = now() - interval '1 hour' where email_id = $1",
      [emailId],
    );
    await door.pool.query(
      "update postrider.emails set created_at = now() - interval '2 hours' where id = $1",
      [emailId],
    );
    const event = (eventType: string, part: object) => ({ eventType, mail: { messageId: 'ses-2' }, ...part });
    await ses(
      event('Click', {
        click: { timestamp: at(1000), link: 'https://example.com/', ipAddress: '192.0.2.1' },
      }),
    );
    await ses(event('Open', { open: { timestamp: at(2000), userAgent: 'x' } }));
    await ses(event('Delivery', { delivery: { timestamp: at(3000), recipients: [to] } }), { version: '1' });
    await ses(event('DeliveryDelay', { deliveryDelay: { timestamp: at(4000), delayType: 'MailboxFull' } }));
    expect(await types(emailId)).toEqual(['DELAYED', 'DELIVERED', 'OPENED', 'CLICKED']);
    expect((await ses(bounce('ses-2', to, 'Transient'))).body).toEqual({ result: 'recorded' });
    expect(await reasons(to)).toEqual([]);
  });

  test('a report about someone the email was not written to → that person stays as they are', async () => {
    await sent('ses', 'ses-3', 'one@example.net');
    await door.pool.query(
      `update postrider.emails set message = jsonb_set(message, '{cc}', '[{"address":"two@example.net"}]')
       where to_address = 'one@example.net'`,
    );
    await ses(bounce('ses-3', 'victim@example.net'));
    expect(await reasons('victim@example.net')).toEqual([]);
    expect(await reasons('one@example.net')).toEqual([]);
    await ses(bounce('ses-3', 'two@example.net'));
    expect((await reasons('two@example.net')).map(([reason]) => reason)).toEqual(['bounce']);
  });

  test('a report that overtakes the result of its attempt → 503, and taken when it comes again', async () => {
    const early = await ses(bounce('ses-4', 'early@example.net'), { id: 'early' });
    expect([early.status, early.body.code]).toEqual([503, 'NOTIFICATION_TOO_EARLY']);
    const { emailId } = await sent('ses', 'ses-4', 'early@example.net');
    expect((await ses(bounce('ses-4', 'early@example.net'), { id: 'early' })).status).toBe(200);
    expect(await types(emailId)).toEqual(['BOUNCED']);
  });

  test('a forged notification → 401 and nothing happens', async () => {
    const { emailId, to } = await sent('ses', 'ses-5');
    const forged = snsTopic(topic.topicArn).notification(bounce('ses-5', to));
    const answer = await post('/hooks/ses', JSON.stringify(forged));
    expect([answer.status, answer.body.code]).toEqual([401, 'NOTIFICATION_UNVERIFIED']);
    expect(await types(emailId)).toEqual([]);
  });

  test('a subscription of our topic → confirmed at Amazon; of another topic → not', async () => {
    const url = `https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topic.topicArn}&Token=t`;
    const confirm = (message: object) => post('/hooks/ses', JSON.stringify(message));
    expect((await confirm(topic.confirmation(url))).body).toEqual({ result: 'confirmed' });
    expect(fetched).toContain(url);
    const other = snsTopic('arn:aws:sns:eu-west-1:123456789012:other');
    const before = fetched.length;
    expect((await confirm(other.confirmation(url))).status).toBe(401);
    expect(fetched).toHaveLength(before);
  });

  test('Resend reports delivery and a complaint → on the timeline, suppressed; a wrong signature → 401', async () => {
    const { emailId, to } = await sent('resend', 're-1');
    const event = (type: string) => ({
      type,
      created_at: new Date().toISOString(),
      data: { email_id: 're-1', to: [to] },
    });
    expect((await resend(event('email.delivered'), 'msg_1')).body).toEqual({ result: 'recorded' });
    expect((await resend(event('email.delivered'), 'msg_1')).body).toEqual({ result: 'known' });
    expect((await resend(event('email.complained'), 'msg_2')).body).toEqual({ result: 'recorded' });
    expect((await resend(event('contact.created'), 'msg_3')).body).toEqual({ result: 'ignored' });
    expect(await types(emailId)).toEqual(['DELIVERED', 'COMPLAINED']);
    expect(await reasons(to)).toEqual([['complaint', emailId]]);
    const wrong = await resend(
      event('email.bounced'),
      'msg_4',
      `whsec_${Buffer.alloc(24, 6).toString('base64')}`,
    );
    expect([wrong.status, wrong.body.code]).toEqual([401, 'NOTIFICATION_UNVERIFIED']);
  });

  const dsn = (emailId: string, address: string) =>
    [
      'From: MAILER-DAEMON@mx.example.net',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
      ...['', '--b', 'Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.example.net', ''],
      ...[`Final-Recipient: rfc822; ${address}`, 'Action: failed', 'Status: 5.1.1', ''],
      ...['--b', 'Content-Type: text/rfc822-headers', '', `Message-ID: <${emailId}@example.com>`, ''],
      ...['--b--', ''],
    ].join('\r\n');

  test('a bounce that came by mail → once on the timeline; with another company’s key → 404', async () => {
    const { emailId, to } = await sent('ses', 'ses-6');
    await door.postrider.access.tenants.create({ companyId: 'stranger' });
    const { token } = await door.postrider.access.keys.create({ companyId: 'stranger', name: 'k' });
    const send = (as: string) =>
      post('/hooks/bounces', dsn(emailId, to), {
        'Content-Type': 'message/rfc822',
        Authorization: `Bearer ${as}`,
      });
    expect((await send(token)).status).toBe(404);
    expect(await types(emailId)).toEqual([]);
    expect((await send(ROOT)).body).toEqual({ results: ['recorded'] });
    expect((await send(ROOT)).body).toEqual({ results: ['known'] });
    expect(await types(emailId)).toEqual(['BOUNCED']);
    expect(await reasons(to)).toEqual([['bounce', emailId]]);
    const anonymous = await post('/hooks/bounces', dsn(emailId, to), { 'Content-Type': 'message/rfc822' });
    expect(anonymous.status).toBe(401);
  });

  test('nothing configured → 404', async () => {
    for (const path of ['/hooks/ses', '/hooks/resend'])
      expect((await door.call('POST', path, { body: {} })).status).toBe(404);
  });
});
