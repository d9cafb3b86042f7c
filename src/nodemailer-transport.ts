import type { Submission } from './doors/smtp/read-submission.js';
import type { AcceptOptions, BatchOptions, EnvelopeInput } from './intake/index.js';
import { refuseUnknownKeys } from './kernel/index.js';
import type { Postrider } from './postrider.js';

/**
 * Postrider as a transport of nodemailer: `nodemailer.createTransport(postriderTransport(postrider))`. nodemailer
 * makes the message, with whatever its options can say; we take it as the SMTP door would, in your transaction where
 * one is given. An answer means accepted, not delivered. What an email of ours cannot say is an error that names it.
 */
export interface NodemailerTransport {
  name: string;
  version: string;
  send(mail: NodemailerMail, done: (error: Error | null, info?: SentInfo) => void): void;
  verify(): Promise<true>;
  verify(done: (error: Error | null, ok?: true) => void): void;
}

/** For every mail of a transport, or as `postrider` of one mail's options. */
export type MailOptions = AcceptOptions & Pick<EnvelopeInput, (typeof FIELDS)[number]> & { type?: string };

export interface SentInfo {
  envelope: { from: string | false; to: string[] };
  /** As it will be on the wire; the email's id where the sender is the default one. */
  messageId: string;
  accepted: string[];
  rejected: string[];
  pending: string[];
  response: string;
  /** One; several where the message has more than 50 recipients, and one per recipient where it names none. */
  emailIds: string[];
}

export interface NodemailerMail {
  data: { raw?: unknown };
  message: {
    getEnvelope(): { from: string | false; to: string[] };
    build(): Promise<Buffer>;
  };
}

export function postriderTransport(
  postrider: Pick<Postrider, 'send' | 'sendBatch' | 'ready'>,
  defaults: MailOptions = {},
): NodemailerTransport {
  refuseUnknownKeys(defaults, KEYS, 'INVALID_PAYLOAD');

  async function send(mail: NodemailerMail): Promise<SentInfo> {
    const own = (mail.data as { postrider?: MailOptions }).postrider ?? {};
    refuseUnknownKeys(own, KEYS, 'INVALID_PAYLOAD');
    const { tx, requestId, idempotencyKey, ...fields } = { ...defaults, ...own };
    const envelope = mail.message.getEnvelope();
    const { checkWireForm, readSubmission } = await import('./doors/smtp/read-submission.js');
    const raw = await built(mail);
    checkWireForm(raw);
    const submission = await readSubmission(raw, { to: envelope.to, maxBytes: MAX_MESSAGE_BYTES });
    const named = idempotencyKey ?? submission.namedKey;
    const accepted = await accept(
      postrider,
      submission.emails.map((email) => ({ ...email, ...fields })),
      {
        ...(tx !== undefined && { tx }),
        ...(requestId !== undefined && { requestId }),
        ...(named !== null && { idempotencyKey: named }),
        ...(submission.headerRecipients && { headerRecipients: submission.headerRecipients }),
      },
    );
    return infoOf(accepted, submission, envelope);
  }

  function verify(): Promise<true>;
  function verify(done: (error: Error | null, ok?: true) => void): void;
  function verify(done?: (error: Error | null, ok?: true) => void): Promise<true> | undefined {
    const ready = postrider.ready().then(() => true as const);
    if (!done) return ready;
    ready.then(
      () => done(null, true),
      (error: Error) => done(error),
    );
    return undefined;
  }

  return {
    name: 'postrider',
    version: '1',
    send(mail, done) {
      send(mail).then(
        (info) => done(null, info),
        (error: Error) => done(error),
      );
    },
    verify,
  };
}

/**
 * Of a message that becomes several emails, each of which holds all of it: together they are held to twice this. The
 * largest that `POSTRIDER_SUBMISSION_MAX_MESSAGE` allows.
 */
const MAX_MESSAGE_BYTES = 64 * 1024 ** 2;

const FIELDS = [
  ...(['companyId', 'userId', 'recipient', 'category', 'lang', 'priority'] as const),
  ...(['scheduledAt', 'expiresAt', 'delivery', 'retry', 'metadata'] as const),
] as const;
const KEYS = ['tx', 'requestId', 'idempotencyKey', 'type', ...FIELDS];

async function accept(
  postrider: Pick<Postrider, 'send' | 'sendBatch'>,
  emails: object[],
  options: BatchOptions,
): Promise<Array<{ emailId: string }>> {
  const inputs = emails as Parameters<Postrider['sendBatch']>[0];
  return inputs.length > 1 || options.headerRecipients
    ? postrider.sendBatch(inputs, { ...options, oneMessage: true })
    : [await postrider.send(inputs[0]!, options)];
}

/** A raw message may come with the line ends of a file; nodemailer's SMTP transport writes CRLF for them, too. */
async function built({ data, message }: NodemailerMail): Promise<Buffer> {
  const bytes = await message.build();
  if (data.raw === undefined) return bytes;
  return Buffer.from(bytes.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1');
}

function infoOf(
  accepted: ReadonlyArray<{ emailId: string }>,
  { from }: Submission,
  envelope: SentInfo['envelope'],
): SentInfo {
  const emailIds = accepted.map(({ emailId }) => emailId);
  const [first = ''] = emailIds;
  return {
    envelope,
    messageId: from === null ? first : `<${first}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    accepted: [...envelope.to],
    rejected: [],
    pending: [],
    response: `250 2.0.0 Accepted as ${emailIds.join(', ')}`,
    emailIds,
  };
}
