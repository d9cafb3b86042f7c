import { Webhook } from 'standardwebhooks';
import { type Attack, type Outcome, outcomeOf } from '../attack.js';
import { type Entry, odd, structures, tokens } from '../dictionary.js';
import { report } from '../named-cases.js';
import { RESEND_SECRET, type Target, topic } from '../target.js';
import { placesOf } from './http.js';
import { messages } from './mime.js';

/** Reports from outside: SES and Resend, signed so that what reads them is reached and unsigned; mail reports. */
const KB = 1024;
const MB = 1024 ** 2;
const JSON_BYTES = 500 * KB;
const MAIL_BYTES = 10 * MB - KB;

const SES = {
  notificationType: 'Bounce',
  mail: { messageId: 'ses-1', timestamp: '2026-01-31T09:00:00Z', destination: ['a@example.net'] },
  bounce: {
    ...{ bounceType: 'Permanent', bounceSubType: 'General', timestamp: '2026-01-31T09:00:00Z' },
    bouncedRecipients: [{ emailAddress: 'a@example.net', diagnosticCode: 'smtp; 550 no' }],
  },
  complaint: { complainedRecipients: [{ emailAddress: 'a@example.net' }], complaintFeedbackType: 'abuse' },
  click: {
    link: 'https://example.com/',
    ipAddress: '192.0.2.1',
    userAgent: 'x',
    timestamp: '2026-01-31T09:00:00Z',
  },
};
const RESEND = {
  type: 'email.bounced',
  created_at: '2026-01-31T09:00:00Z',
  data: {
    ...{ email_id: 'resend-1', to: ['a@example.net'], subject: 'x' },
    bounce: { type: 'Permanent', subType: 'General', message: 'no' },
    click: { link: 'https://example.com/', ipAddress: '192.0.2.1', userAgent: 'x', timestamp: 'x' },
  },
};

export function* hookAttacks(): Generator<Attack> {
  for (const [wayIn, example, post] of [
    ['POST /hooks/ses', SES, postSes],
    ['POST /hooks/resend', RESEND, postResend],
  ] as const) {
    for (const place of placesOf(example)) {
      for (const entry of [...tokens, ...odd])
        yield hook(wayIn, place.name, entry, JSON_BYTES, (target, text) =>
          post(target, place.put(JSON.stringify(text))),
        );
      for (const entry of place.isName ? [] : structures)
        yield hook(wayIn, place.name, entry, JSON_BYTES, (target, text) => post(target, place.put(text)));
    }
    for (const entry of [...tokens, ...structures])
      yield hook(wayIn, 'unsigned', entry, JSON_BYTES, (target, text) =>
        send(target, wayIn.slice(5), text, {}),
      );
  }
  for (const field of [
    'Type',
    'TopicArn',
    'Signature',
    'SigningCertURL',
    'SubscribeURL',
    'Subject',
    'Timestamp',
  ])
    for (const entry of [...tokens, ...odd])
      yield hook('POST /hooks/ses', `envelope ${field}`, entry, JSON_BYTES, (target, text) =>
        send(target, '/hooks/ses', JSON.stringify({ ...topic.notification(SES), [field]: text }), {}),
      );
  yield* mailReports();
}

function* mailReports(): Generator<Attack> {
  const sizes = [60 * KB, 500 * KB, MAIL_BYTES];
  for (const { field, entry, make, most } of messages)
    for (const size of sizes) {
      const bytes = Math.min(size, most);
      yield hook('POST /hooks/bounces', field, { name: entry, make }, bytes, postMail);
      if (bytes === most) break;
    }
  for (const field of REPORT_FIELDS)
    for (const entry of tokens)
      for (const size of sizes)
        yield hook('POST /hooks/bounces', `report ${field}`, entry, size, (target, text) =>
          postMail(target, reportWith(target.contents.emailId, field, text)),
        );
}

const REPORT_FIELDS = [
  ...['Final-Recipient', 'Original-Recipient', 'Action', 'Status', 'Diagnostic-Code', 'Original-Envelope-Id'],
  ...['Reporting-MTA', 'groups', 'quoted headers', 'Message-ID', 'Feedback-Type', 'Original-Rcpt-To'],
];

/** A report that is right but for one field. */
function reportWith(emailId: string, field: string, text: string): string {
  const whole = report(emailId, 'rfc822; a@example.net');
  if (field === 'groups') return whole.replace('Action: failed', () => `Action: failed\r\n\r\n${text}\r\n`);
  if (field === 'quoted headers') return whole.replace('Message-ID:', () => `${text}\r\nMessage-ID:`);
  if (field === 'Message-ID') return whole.replace(/Message-ID: .*/, () => `Message-ID: ${text}`);
  const known = new RegExp(`^${field}: .*$`, 'm');
  const rfc822 = /Recipient|Rcpt/.test(field) ? 'rfc822; ' : '';
  const line = `${field}: ${rfc822}${text}`;
  const filled = known.test(whole)
    ? whole.replace(known, () => line)
    : whole.replace('Action:', () => `${line}\r\nAction:`);
  return /^Feedback|Rcpt/.test(field) ? filled.replaceAll('delivery-status', 'feedback-report') : filled;
}

function hook(
  wayIn: string,
  field: string,
  entry: Entry,
  bytes: number,
  post: (target: Target, text: string) => Promise<Outcome>,
): Attack {
  return { ...{ wayIn, field, entry: entry.name, bytes }, run: (target) => post(target, entry.make(bytes)) };
}

async function send(
  target: Target,
  path: string,
  body: string,
  headers: Record<string, string>,
): Promise<Outcome> {
  const as = path === '/hooks/bounces' ? { as: target.contents.key } : { as: null };
  return outcomeOf(await target.ask({ method: 'POST', path, body, headers, ...as }));
}

const postMail = (target: Target, message: string) =>
  send(target, '/hooks/bounces', message, { 'Content-Type': 'message/rfc822' });

function postSes(target: Target, message: string): Promise<Outcome> {
  return send(target, '/hooks/ses', JSON.stringify(topic.notificationOf(message)), {});
}

function postResend(target: Target, body: string): Promise<Outcome> {
  const [id, at] = [`msg_${body.length}_${Math.random()}`, new Date()];
  const signature = new Webhook(RESEND_SECRET).sign(id, at, body);
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return send(target, '/hooks/resend', body, {
    ...{ 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': signature },
  });
}
