import { describe, expect, test } from 'vitest';
import { longestTurn } from '../../kernel/longest-turn.fixture.js';
import { readMailReport } from './read-mail-report.js';

const ID = '0190a0a0-0000-7000-8000-000000000001';
const NOW = new Date('2026-03-01T00:00:00Z');

function report(type: string, fields: string, quoted: string, head = ''): Uint8Array {
  return Buffer.from(
    [
      'From: MAILER-DAEMON@mx.example.net',
      'Date: Sun, 01 Feb 2026 10:00:00 +0000',
      ...(head ? [head] : []),
      'MIME-Version: 1.0',
      `Content-Type: multipart/report; report-type=${type}; boundary="b"`,
      ...['', '--b', 'Content-Type: text/plain', '', 'Sorry.', '--b', `Content-Type: message/${type}`, ''],
      ...[fields, '', '--b', quoted, '', '--b--', ''],
    ].join('\r\n'),
  );
}

const HEADERS = `Content-Type: text/rfc822-headers\r\n\r\nSubject: Hi\r\nMessage-ID:\r\n <${ID}@example.com>\r\n`;
const WHOLE = `Content-Type: message/rfc822\r\n\r\nMessage-ID: <${ID}@example.com>\r\nSubject: Hi\r\n\r\nHello`;
const dsn = (action: string, status: string) =>
  `Reporting-MTA: dns; mx.example.net\r\n\r\nFinal-Recipient: rfc822; Ann@Example.net\r\nAction: ${action}\r\nStatus: ${status}\r\nDiagnostic-Code: smtp; 550 no such\r\n user here`;

describe('readMailReport', () => {
  test.each([
    ['headers alone', HEADERS],
    ['the whole message', WHOLE],
  ])('a bounce that quotes %s → BOUNCED, permanent, about the email', async (_what, quoted) => {
    const [notification] = await readMailReport(
      report('delivery-status', dsn('failed', '5.1.1'), quoted),
      NOW,
    );
    expect(notification).toMatchObject({
      type: 'BOUNCED',
      about: { emailId: ID },
      recipients: ['Ann@Example.net'],
      suppress: 'bounce',
      at: new Date('2026-02-01T10:00:00Z'),
      detail: { bounce: { type: 'Permanent', subType: '5.1.1', message: 'smtp; 550 no such user here' } },
    });
  });

  test.each([
    ['5.2.2', 'a full mailbox'],
    ['5.7.1', 'a refusal of the content'],
    ['4.4.1', 'a server that is away'],
  ])('%s, %s → BOUNCED, but the address stays good', async (status) => {
    const [notification] = await readMailReport(report('delivery-status', dsn('failed', status), WHOLE), NOW);
    expect([notification!.type, notification!.suppress]).toEqual(['BOUNCED', null]);
  });

  test.each([
    ['delayed', 'DELAYED'],
    ['delivered', 'DELIVERED'],
    ['relayed', 'DELIVERED'],
  ])('action %s → %s', async (action, type) => {
    const [notification] = await readMailReport(report('delivery-status', dsn(action, '2.0.0'), WHOLE), NOW);
    expect([notification!.type, notification!.suppress]).toEqual([type, null]);
  });

  test('no Message-ID but an envelope id → found by that', async () => {
    const fields = dsn('failed', '5.1.1').replace('\r\n\r\n', `\r\nOriginal-Envelope-Id: ${ID}\r\n\r\n`);
    const quoted = 'Content-Type: text/rfc822-headers\r\n\r\nSubject: Hi\r\n';
    const [notification] = await readMailReport(report('delivery-status', fields, quoted), NOW);
    expect(notification!.about).toEqual({ emailId: ID });
  });

  test('an abuse report → COMPLAINED; one that says not-spam → nothing', async () => {
    const arf = (kind: string) =>
      `Feedback-Type: ${kind}\r\nVersion: 1\r\nOriginal-Rcpt-To: <ann@example.net>`;
    const [complaint] = await readMailReport(report('feedback-report', arf('abuse'), WHOLE), NOW);
    expect(complaint).toMatchObject({
      type: 'COMPLAINED',
      suppress: 'complaint',
      recipients: ['ann@example.net'],
    });
    expect(await readMailReport(report('feedback-report', arf('not-spam'), WHOLE), NOW)).toEqual([]);
  });

  test('no report, or one about no email → refused', async () => {
    await expect(readMailReport(Buffer.from('Subject: hi\r\n\r\nhello'), NOW)).rejects.toThrow('neither');
    const none = 'Content-Type: text/rfc822-headers\r\n\r\nSubject: Hi\r\n';
    await expect(
      readMailReport(report('delivery-status', dsn('failed', '5.1.1'), none), NOW),
    ).rejects.toThrow('no email of ours');
  });

  test('the same bytes again → the same id', async () => {
    const raw = report('delivery-status', dsn('failed', '5.1.1'), WHOLE);
    const [first] = await readMailReport(raw, NOW);
    const [second] = await readMailReport(raw, NOW);
    expect(first!.id).toBe(second!.id);
  });
});

describe('a report that is large in a way reports are not', () => {
  const ADDRESS = 'Ann@Example.net';
  const bounce = dsn('failed', '5.1.1');
  const filled = (line: string, bytes: number) => line.repeat(bytes / line.length);

  test.each([
    ['an address without an end', bounce.replace(ADDRESS, 'a'.repeat(200_000)), WHOLE],
    ['a field of spaces', `${bounce}\r\nX-Blank: ${' '.repeat(100_000)}x\u2028`, WHOLE],
    ['thousands of folds', `${bounce}${'\r\n a'.repeat(80_000)}`, WHOLE],
    ['thousands of empty lines', `${bounce}${'\r\n'.repeat(200_000)}`, WHOLE],
    ['3 MB of lines in what it quotes', bounce, `${WHOLE}\r\n${filled('a\r\n', 3 * 1024 ** 2)}`],
    ['3 MB of almost delimiters', bounce, `${WHOLE}\r\n${filled('--\r\n', 3 * 1024 ** 2)}`],
  ])('%s → read, and nobody waits 250 ms of CPU for it', async (_what, fields, quoted) => {
    const raw = report('delivery-status', fields, quoted);
    let types: string[] = [];
    const { longest } = await longestTurn(async () => {
      types = (await readMailReport(raw, NOW)).map(({ type }) => type);
    });
    expect(types).toEqual(['BOUNCED']);
    expect(longest).toBeLessThan(250);
  });

  test.each([
    ['parts', report('delivery-status', bounce, '\r\n--b'.repeat(200)), 'more than 100 parts'],
    ['a status', report('delivery-status', `${bounce}${'x'.repeat(600_000)}`, WHOLE), 'larger than 512 KB'],
    ['headers', report('delivery-status', bounce, WHOLE, `X: ${'x'.repeat(300_000)}`), 'more than 256 KB'],
  ])('too much of %s → refused with the limit', async (_what, raw, limit) => {
    await expect(readMailReport(raw, NOW)).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: expect.stringContaining(limit),
    });
  });

  test('an action named like what every object has → no notification', async () => {
    expect(await readMailReport(report('delivery-status', dsn('constructor', '5.1.1'), WHOLE), NOW)).toEqual(
      [],
    );
  });
});
