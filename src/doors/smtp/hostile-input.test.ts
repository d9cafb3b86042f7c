import { describe, expect, test } from 'vitest';
import { client, ground, MESSAGE, signedIn } from './door-clients.fixture.js';
import { TOKEN } from './smtp-door.fixture.js';

describe('hostile input', () => {
  test.each([
    ['LF alone in the body', `${MESSAGE}\nmore`, /^554 5\.6\.0 INVALID_MESSAGE/],
    ['CR alone in the body', `${MESSAGE}\rmore`, /^554 5\.6\.0 INVALID_MESSAGE/],
    ['a smuggled end', `${MESSAGE}\n.\nMAIL FROM:<evil@example.com>`, /^554 5\.6\.0 INVALID_MESSAGE/],
    ['another smuggled end', `${MESSAGE}\r.\rMAIL FROM:<evil@example.com>`, /^554 5\.6\.0 INVALID_MESSAGE/],
    ['NUL', `${MESSAGE}\0`, /^554 5\.6\.0 INVALID_MESSAGE/],
    ['100 KB of headers', `X-Fill: ${'a'.repeat(100_000)}\r\n${MESSAGE}`, /^552 5\.3\.4 PAYLOAD_TOO_LARGE/],
    [
      'two From headers',
      `From: evil@example.com\r\n${MESSAGE}`,
      /^554 5\.6\.0 INVALID_MESSAGE: From is given/,
    ],
    ['no From', 'To: reader@example.net\r\nSubject: a\r\n\r\nb', /^554 5\.6\.0 From is missing/],
    ['parts nested 100 deep', nested(100), /^554 5\.6\.0 INVALID_MESSAGE/],
    [
      'a Resent-From',
      `Resent-From: a@example.com\r\n${MESSAGE}`,
      /^554 5\.6\.0 INVALID_MESSAGE: Resent-From/,
    ],
  ])('%s → refused, nothing accepted, the connection goes on', async (_what, message, reply) => {
    const at = await ground();
    const one = await signedIn(at);
    expect(await one.submit(message)).toMatch(reply);
    expect(at.accepted).toEqual([]);
    expect(await one.submit(MESSAGE)).toMatch(/^250 /);
  });

  test('headers named __proto__, constructor and prototype → handed on as they are, for intake to judge', async () => {
    const at = await ground();
    const one = await signedIn(at);
    const names = ['__proto__', 'constructor', 'Prototype', 'hasOwnProperty'];
    const lines = names.map((name) => `${name}: polluted\r\n`).join('');
    expect(await one.submit(`${lines}${MESSAGE}`)).toMatch(/^250 /);
    const { headers } = at.accepted[0]!.emails[0]! as { headers: object };
    expect(Object.keys(headers)).toEqual(expect.arrayContaining(names));
    expect(Object.entries(headers).filter(([name]) => names.includes(name))).toEqual(
      names.map((name) => [name, 'polluted']),
    );
  });

  test('what servers on the way wrote → left out', async () => {
    const at = await ground();
    const one = await signedIn(at);
    const lines = ['Received', 'ARC-Seal', 'ARC-Message-Signature', 'Authentication-Results', 'Received-SPF']
      .map((name) => `${name}: x\r\n`)
      .join('');
    expect(await one.submit(`${lines}X-Kept: y\r\n${MESSAGE}`)).toMatch(/^250 /);
    const { headers } = at.accepted[0]!.emails[0]! as { headers: object };
    expect(Object.entries(headers)).toEqual([['X-Kept', 'y']]);
  });

  test('talking before the greeting → 421 and the end', async () => {
    const one = await client(await ground());
    one.write('EHLO early\r\n');
    expect(await one.reply()).toMatch(/^421 /);
    expect(await one.reply()).toBe('(closed)');
  });

  test('a command line without an end → 421 and the end', async () => {
    const one = await client(await ground());
    await one.reply();
    one.write('X'.repeat(200_000));
    expect(await one.reply()).toMatch(/^421 /);
    expect(await one.reply()).toBe('(closed)');
  });

  test('five wrong keys → 421', async () => {
    const one = await client(await ground());
    await one.reply();
    const guess = `AUTH PLAIN ${Buffer.from('\0x\0re_guess').toString('base64')}`;
    const replies = [await one.say('EHLO test')];
    while (!replies.at(-1)!.startsWith('421') && replies.length < 50) replies.push(await one.say(guess));
    expect(replies.length).toBe(6);
  });

  test('a whole conversation in one packet → answered in order, two messages accepted', async () => {
    const at = await ground();
    const one = await client(at);
    await one.reply();
    const auth = Buffer.from(`\0x\0${TOKEN}`).toString('base64');
    const turn = `MAIL FROM:<a@example.com>\r\nRCPT TO:<reader@example.net>\r\nDATA\r\n${MESSAGE}\r\n.\r\n`;
    one.write(`EHLO test\r\nAUTH PLAIN ${auth}\r\n${turn}${turn}QUIT\r\n`);
    const codes: string[] = [];
    for (let i = 0; i < 11; i++) codes.push((await one.reply()).slice(0, 3));
    expect(codes).toEqual(['250', '235', '250', '250', '354', '250', '250', '250', '354', '250', '221']);
    expect(at.accepted).toHaveLength(2);
  });

  test('a client that leaves in the middle of its message → nothing accepted', async () => {
    const at = await ground();
    const one = await signedIn(at);
    await one.say('MAIL FROM:<app@example.com>');
    await one.say('RCPT TO:<reader@example.net>');
    await one.say('DATA');
    one.write(`${MESSAGE}\r\n`);
    one.close();
    await expect.poll(() => at.lines.some((line) => line.includes('smtp message failed'))).toBe(true);
    expect(at.accepted).toEqual([]);
  });

  test('its log → neither keys nor addresses nor content', async () => {
    const at = await ground();
    const one = await signedIn(at);
    await one.submit(MESSAGE);
    await one.submit(`${MESSAGE}\n`);
    const log = at.lines.join('');
    expect(log).toContain('smtp message accepted');
    expect(log).toContain('smtp message refused');
    for (const secret of [TOKEN, 'reader@', 'app@', 'Hello']) expect(log).not.toContain(secret);
  });
});

function nested(depth: number): string {
  let body = 'Content-Type: text/plain\r\n\r\nx';
  for (let i = 0; i < depth; i++)
    body = `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n${body}\r\n--b${i}--`;
  return `From: app@example.com\r\nTo: reader@example.net\r\nSubject: a\r\nMIME-Version: 1.0\r\n${body}`;
}
