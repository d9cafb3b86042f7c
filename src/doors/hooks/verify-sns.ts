import { createVerify, X509Certificate } from 'node:crypto';
import { type Clock, isPostriderError, messageOf, PostriderError } from '../../kernel/index.js';

/**
 * SNS messages, taken only from the topics that are configured and only with Amazon's signature. A certificate is
 * fetched from Amazon's own hosts alone, and not before the topic is known to be one of ours, so that nobody can make
 * this server ask for things. A subscription is confirmed by the same rules.
 */
export interface SnsMessage {
  Type: 'Notification' | 'SubscriptionConfirmation' | 'UnsubscribeConfirmation';
  MessageId: string;
  TopicArn: string;
  Message: string;
  Timestamp: string;
}

export type FetchText = (url: string) => Promise<string>;

export interface SnsVerifier {
  /** The message, or a refusal with NOTIFICATION_UNVERIFIED. */
  verify(input: unknown): Promise<SnsMessage>;
  /** For a verified SubscriptionConfirmation. */
  confirm(input: unknown): Promise<void>;
}

export function createSnsVerifier(options: {
  topics: readonly string[];
  clock: Clock;
  fetchText?: FetchText;
}): SnsVerifier {
  const { topics, clock, fetchText = fetchFromAmazon } = options;
  const certificates = new Map<string, X509Certificate>();

  async function certificateAt(url: string): Promise<X509Certificate> {
    const known = certificates.get(url);
    const certificate = known ?? new X509Certificate(await fetchText(url));
    const now = clock.now();
    if (now < Date.parse(certificate.validFrom) || now > Date.parse(certificate.validTo)) {
      certificates.delete(url);
      throw unverified('the certificate is not valid now');
    }
    if (certificates.size >= MAX_CERTIFICATES) certificates.clear();
    certificates.set(url, certificate);
    return certificate;
  }

  return {
    async verify(input) {
      const fields = textsOf(input);
      const signed = SIGNED[fields.Type ?? ''];
      if (!signed) throw unverified('it is no SNS message');
      if (!topics.includes(fields.TopicArn ?? '')) throw unverified('the topic is not one of ours');
      const algorithm = { 1: 'RSA-SHA1', 2: 'RSA-SHA256' }[fields.SignatureVersion ?? ''];
      const url = amazonUrl(fields.SigningCertURL);
      if (!algorithm || !url?.pathname.endsWith('.pem')) throw unverified('it names no signature of Amazon');
      const text = signed
        .filter((name) => fields[name] !== undefined)
        .map((name) => `${name}\n${fields[name]}\n`)
        .join('');
      const certificate = await certificateAt(url.href).catch(asUnverified);
      const verifier = createVerify(algorithm).update(text, 'utf8');
      if (!verifier.verify(certificate.publicKey, fields.Signature ?? '', 'base64'))
        throw unverified('the signature is wrong');
      return fields as unknown as SnsMessage;
    },
    async confirm(input) {
      const url = amazonUrl(textsOf(input).SubscribeURL);
      if (!url) throw unverified('the address to confirm at is not one of Amazon');
      await fetchText(url.href).catch((error: unknown) => {
        throw new PostriderError('NOTIFICATION_TOO_EARLY', 'The subscription could not be confirmed.', {
          cause: error,
        });
      });
    },
  };
}

const MAX_CERTIFICATES = 8;
const CONFIRMATION = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
/** In the order in which they are signed. */
const SIGNED: Record<string, string[]> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: CONFIRMATION,
  UnsubscribeConfirmation: CONFIRMATION,
};

function amazonUrl(text: string | undefined): URL | null {
  if (text === undefined || !URL.canParse(text)) return null;
  const url = new URL(text);
  const ours = /^sns\.[a-z0-9-]{1,40}\.amazonaws\.com(?:\.cn)?$/.test(url.hostname);
  return url.protocol === 'https:' && ours && url.port === '' && url.username + url.password === ''
    ? url
    : null;
}

function textsOf(input: unknown): Record<string, string | undefined> {
  if (typeof input !== 'object' || input === null) throw unverified('it is no SNS message');
  return Object.fromEntries(Object.entries(input).filter(([, value]) => typeof value === 'string'));
}

function asUnverified(error: unknown): never {
  if (isPostriderError(error)) throw error;
  throw unverified(`the certificate could not be read (${messageOf(error)})`);
}

function unverified(why: string): PostriderError {
  return new PostriderError('NOTIFICATION_UNVERIFIED', `The notification is not taken: ${why}.`);
}

const fetchFromAmazon: FetchText = async (url) => {
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(5000) });
  if (!answer.ok) throw new Error(`answered ${answer.status}`);
  const text = await answer.text();
  if (text.length > 64 * 1024) throw new Error('too long');
  return text;
};
