import { describe, expect, test } from 'vitest';
import { systemClock } from '../../kernel/index.js';
import type { Outcome } from '../provider.js';
import { authenticate } from './authenticate.js';
import { Conversation } from './conversation.js';
import type { SmtpReply } from './reply-reader.js';
import type { Lost, SmtpConnection } from './smtp-connection.js';
import { resolveSmtpOptions } from './smtp-options.js';

/** A connection that answers from a list and remembers what it was told. */
function talkingTo(replies: (number | Lost)[], offered = 'PLAIN XOAUTH2') {
  const said: string[] = [];
  const connection = {
    stage: 'ehlo',
    extensions: new Map([['AUTH', offered]]),
    conversation: new Conversation(),
    lost: undefined as Lost | undefined,
    onLost: undefined as (() => void) | undefined,
    command(line: string, shown = line) {
      said.push(line);
      this.conversation.client(shown);
    },
    async read(): Promise<SmtpReply | Lost> {
      const next = replies.shift() ?? 500;
      return typeof next === 'number' ? { code: next, lines: ['text'], bytes: 4 } : next;
    },
  };
  return { said, connection };
}

function signIn(
  { connection }: ReturnType<typeof talkingTo>,
  accessToken: (why: { refused: boolean }) => string | Promise<string>,
): Promise<Outcome | undefined> {
  const settings = resolveSmtpOptions({
    host: 'localhost',
    port: 587,
    username: 'me@example.com',
    accessToken,
  });
  return authenticate(connection as unknown as SmtpConnection, settings, systemClock.now());
}

const line = (token: string) =>
  `AUTH XOAUTH2 ${Buffer.from(`user=me@example.com\x01auth=Bearer ${token}\x01\x01`).toString('base64')}`;

describe('XOAUTH2', () => {
  test('the token is taken → signed in, and it stands nowhere in the conversation', async () => {
    const peer = talkingTo([235]);
    expect(await signIn(peer, () => 'tok1')).toBeUndefined();
    expect(peer.said).toEqual([line('tok1')]);
    expect(peer.connection.conversation.lines()).toEqual(['C: AUTH XOAUTH2 ****']);
  });

  test('refused with a challenge → answered empty, a fresh token asked for once, signed in', async () => {
    const peer = talkingTo([334, 535, 235]);
    const asked: boolean[] = [];
    const outcome = await signIn(peer, ({ refused }) => {
      asked.push(refused);
      return refused ? 'fresh' : 'stale';
    });
    expect(outcome).toBeUndefined();
    expect(asked).toEqual([false, true]);
    expect(peer.said).toEqual([line('stale'), '', line('fresh')]);
  });

  test.each([
    ['a fresh one too', [334, 535, 334, 535], ({ refused }: { refused: boolean }) => (refused ? 'b' : 'a')],
    ['and the source has no other', [535], () => 'a'],
  ])('refused, %s → misconfigured, about the account', async (_case, replies, source) => {
    expect(await signIn(talkingTo(replies), source)).toMatchObject({
      kind: 'misconfigured',
      scope: 'account',
      code: 'SMTP_535',
    });
  });

  test('454 → deferred: the server cannot tell at the moment, and no fresh token is wasted', async () => {
    const peer = talkingTo([454, 235]);
    expect(await signIn(peer, () => 'a')).toMatchObject({ kind: 'deferred', code: 'SMTP_454' });
    expect(peer.said).toHaveLength(1);
  });

  test.each([
    ['fails', () => Promise.reject(new Error('token server is down'))],
    ['gives nonsense', () => 'a\r\nb'],
  ])('the source %s → deferred, nothing said to the server', async (_case, source) => {
    const peer = talkingTo([235]);
    expect(await signIn(peer, source)).toMatchObject({ kind: 'deferred', code: 'ACCESS_TOKEN_FAILED' });
    expect(peer.said).toEqual([]);
  });

  test('the source hangs until the attempt is over → the loss is the outcome', async () => {
    const peer = talkingTo([]);
    const outcome = signIn(peer, () => new Promise(() => {}));
    peer.connection.lost = { lost: true, code: 'ETIMEDOUT', message: 'late' };
    await Promise.resolve();
    peer.connection.onLost?.();
    expect(await outcome).toMatchObject({ kind: 'deferred', code: 'ETIMEDOUT' });
  });

  test('not offered → misconfigured, never another way to sign in', async () => {
    const peer = talkingTo([235], 'PLAIN LOGIN');
    expect(await signIn(peer, () => 'a')).toMatchObject({ code: 'AUTH_UNSUPPORTED' });
    expect(peer.said).toEqual([]);
  });
});

test.each([
  [{ username: undefined }],
  [{ password: 'x' }],
  [{ username: 'a\x01b' }],
  [{ requireTls: false }],
])('token with %j → INVALID_CONFIG', (parts) => {
  const options = { host: 'localhost', port: 587, username: 'me', accessToken: () => 'a', ...parts };
  expect(() => resolveSmtpOptions(options)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }));
});
