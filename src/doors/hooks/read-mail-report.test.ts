import { describe, expect, test } from 'vitest';
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
