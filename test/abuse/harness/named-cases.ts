import { type Attack, type Outcome, outcomeOf } from './attack.js';
import { type Call, json } from './http-client.js';
import { drippedFiles, halfBodies, manyReaders } from './many-at-once.js';
import { submit } from './smtp-client.js';
import type { Target } from './target.js';

/**
 * Inputs that once froze, filled or ended the process, kept by name. The dictionary finds most of them again by itself;
 * these stay when it changes.
 */
const KB = 1024;
const MB = 1024 ** 2;
/** All together, whoever sends how many: what is in hand at once is limited, and a turn serves several. */
const CROWD = { memoryBytes: 256 * MB, stallMs: 250 };

export const namedCases: Attack[] = [
  named('a frame of head elements', 'POST /dashboard/frame', 'html', 240_000, (target) =>
    post(target, '/dashboard/frame', `html=${'<head+'.repeat(40_000)}`, {
      headers: { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/x-www-form-urlencoded' },
    }),
  ),
  named('a shared email of head elements', 'GET /resend/shared/:token', 'html', 240_000, (target) =>
    share(target, { html: '<head '.repeat(40_000) }),
  ),
  named('dashes before a scheme', 'POST /v1/email/send', 'html', 120_000, (target) =>
    sendHtml(target, `<a href="${'-'.repeat(120_000)}x:">x</a><set>`),
  ),
  named('dashes before a scheme', 'SMTP DATA', 'html', 120_000, (target) =>
    submitMail(target, `Content-Type: text/html\r\n\r\n<a href="${folded('-', 120_000)}x:">x</a><set>`),
  ),
  named('lines of one letter', 'SMTP DATA', 'body', 16 * MB, (target) =>
    submitMail(target, `\r\n${'a\r\n'.repeat(5_300_000)}`),
  ),
  named('a million empty parts', 'SMTP DATA', 'body', 7 * MB, (target) =>
    submitMail(target, `${MIXED}${'--b\r\n\r\n'.repeat(1_000_000)}`),
  ),
  named('lines of two dots', 'SMTP DATA', 'body', 12 * MB, (target) =>
    submitMail(target, `\r\n${'..\r\n'.repeat(3 * MB)}`),
  ),
  named('flowed text', 'SMTP DATA', 'body', 2 * MB, (target) =>
    submitMail(target, `Content-Type: text/plain; format=flowed\r\n\r\n${'a \r\n'.repeat(MB / 2)}`),
  ),
  named('lines of one letter', 'POST /hooks/bounces', 'body', 3 * MB, (target) =>
    bounce(target, `${'a\r\n'.repeat(MB)}`),
  ),
  named('a large expansion in a batch', 'POST /resend/emails/batch', 'template.variables', 212 * KB, expand),
  {
    ...named('150 sends of dripped files', 'POST /resend/emails', 'attachments.path', 150 * KB, drippedFiles),
    ...{ budget: CROWD, deadlineMs: 120_000 },
  },
  named('many places for one image', 'GET /resend/shared/:token', 'html', 500 * KB, (target) =>
    share(target, { html: 'cid:a '.repeat(80_000), attachments: [image(4 * KB)] }),
  ),
  {
    ...named('ten readers of a large file', 'GET /resend/shared/:token', 'attachments', 14 * MB, (target) =>
      readLarge(target, ({ shared }) => shared, manyReaders),
    ),
    budget: CROWD,
  },
  named('one reader of a large file', 'GET /resend/shared/:token', 'attachments', 14 * MB, (target) =>
    readLarge(target, ({ shared }) => shared),
  ),
  named('one reader of a large file', 'GET /resend/emails/:id', 'attachments', 14 * MB, (target) =>
    readLarge(target, ({ id }) => `/resend/emails/${id}`),
  ),
  named(
    'one reader of a large file',
    'GET /resend/emails/:id/attachments',
    'attachments',
    14 * MB,
    (target) => readLarge(target, ({ id }) => `/resend/emails/${id}/attachments`),
  ),
  named('an address without an @', 'POST /hooks/bounces', 'Final-Recipient', 60_000, (target) =>
    bounce(target, report(target.contents.emailId, `rfc822; ${'a'.repeat(60_000)}`)),
  ),
  named('body elements and a preview', 'POST /resend/broadcasts', 'html', 120_000, broadcast),
  {
    ...named('4,000 strangers with half a body', 'POST /hooks/ses', 'body', 4000 * 255 * KB, halfBodies),
    ...{ budget: CROWD, deadlineMs: 120_000 },
  },
  named('thirty large emails in a batch', 'POST /v1/email/batch', 'html', 15 * MB, (target) =>
    post(
      target,
      '/v1/email/batch',
      JSON.stringify(
        Array(30).fill({ to: 'a@example.net', subject: 'x', html: '<p class="a">Hello</p>'.repeat(22_000) }),
      ),
    ),
  ),
];

function named(
  entry: string,
  wayIn: string,
  field: string,
  bytes: number,
  run: (target: Target) => Promise<Outcome>,
): Attack {
  return { wayIn, field, entry: `named: ${entry}`, bytes, run };
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const MIXED = 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n';

async function post(
  target: Target,
  path: string,
  body: string,
  options: Partial<Call> = {},
): Promise<Outcome> {
  return outcomeOf(await target.ask({ method: 'POST', path, body, headers: JSON_TYPE, ...options }));
}

const sendHtml = (target: Target, html: string) =>
  post(target, '/v1/email/send', JSON.stringify({ to: 'a@example.net', subject: 'x', html }));

async function submitMail(target: Target, rest: string): Promise<Outcome> {
  const head = 'From: app@example.com\r\nTo: reader@example.net\r\nSubject: x\r\n';
  const reply = await submit(target.smtpPort, target.contents.key, Buffer.from(head + rest));
  return { status: reply.slice(0, 60), answerBytes: reply.length };
}

const bounce = (target: Target, body: string) =>
  post(target, '/hooks/bounces', body, { headers: { 'Content-Type': 'message/rfc822' } });

/** Lines of mail have an end. */
function folded(token: string, count: number): string {
  return token.repeat(count).replace(/.{900}/g, '$&\r\n');
}

export function report(emailId: string, finalRecipient: string): string {
  return [
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    ...['', '--b', 'Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.example.net', ''],
    ...[`Final-Recipient: ${finalRecipient}`, 'Action: failed', 'Status: 5.1.1', ''],
    ...[
      '--b',
      'Content-Type: text/rfc822-headers',
      '',
      `Message-ID: <${emailId}@example.com>`,
      '',
      '--b--',
      '',
    ],
  ].join('\r\n');
}

function image(bytes: number): object {
  const content = Buffer.alloc(bytes, 1).toString('base64');
  return { filename: 'a.png', content, contentType: 'image/png', contentId: 'a' };
}

/** Accepts an email and opens its share link as a stranger. */
async function share(target: Target, content: object): Promise<Outcome> {
  const kept = await keep(target, content);
  return typeof kept === 'string'
    ? { status: kept, answerBytes: 0 }
    : outcomeOf(await target.ask({ method: 'GET', path: kept.shared, as: null }));
}

interface Kept {
  id: string;
  shared: string;
}

async function keep(target: Target, content: object): Promise<Kept | string> {
  const accepted = await target.ask({
    ...{ method: 'POST', path: '/v1/email/send', headers: JSON_TYPE },
    body: JSON.stringify({ to: 'a@example.net', subject: 'x', text: 'x', ...content }),
  });
  if (accepted.status !== 202) return String(accepted.status || accepted.error);
  const id = String(json(accepted).emailId);
  const shared = await target.ask({
    ...{ method: 'POST', path: `/resend/emails/${id}/share`, headers: JSON_TYPE, body: '{}' },
  });
  return { id, shared: new URL(String(json(shared).url)).pathname };
}

const large = { html: '<img src="cid:a">', attachments: [image(9.9 * MB)] };

async function readLarge(target: Target, pathOf: (kept: Kept) => string, read = readOnce): Promise<Outcome> {
  const kept = await keep(target, large);
  if (typeof kept === 'string') return { status: kept, answerBytes: 0 };
  await target.drained(30_000);
  await target.begin({ collect: true }); // of the reading alone
  return read(target, pathOf(kept));
}

const readOnce = async (target: Target, path: string) => outcomeOf(await target.ask({ method: 'GET', path }));

async function expand(target: Target): Promise<Outcome> {
  const id = await made(target, '/resend/templates', { name: 'large', html: '{{{A}}}'.repeat(74_000) });
  await post(target, `/resend/templates/${id}/publish`, '{}');
  const one = { from: 'a@example.com', to: 'a@example.net', subject: 'x' };
  const email = { ...one, template: { id, variables: { A: 'x'.repeat(2000) } } };
  return post(target, '/resend/emails/batch', JSON.stringify(Array(100).fill(email)));
}

async function made(target: Target, path: string, body: object): Promise<string> {
  const answer = await target.ask({ method: 'POST', path, body: JSON.stringify(body), headers: JSON_TYPE });
  return String(json(answer).id);
}

async function broadcast(target: Target): Promise<Outcome> {
  const content = { from: 'a@example.com', subject: 'x', preview_text: 'x', html: '<body '.repeat(20_000) };
  const body = { name: 'x', segment_id: target.contents.segmentId, ...content, send: true };
  const outcome = await post(target, '/resend/broadcasts', JSON.stringify(body));
  // Its recipients are served by the scheduler.
  if (outcome.status === '201') await new Promise((resolve) => setTimeout(resolve, 4000));
  return outcome;
}
