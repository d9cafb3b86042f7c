import { createVerify, X509Certificate } from 'node:crypto';
import {
  type Clock,
  isPostriderError,
  messageOf,
  ownEntry,
  PostriderError,
  parseUrl,
} from '../../kernel/index.js';

/**
 * SNS messages, taken only from the topics that are configured and only with Amazon's signature. A certificate is
 * fetched only from the SNS host of the topic's region, and not before the topic is known to be one of ours, so that
 * nobody can make this server ask for things or bring a certificate of their own. A subscription is confirmed there too.
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
  /** What the header says, which Amazon sends along: nothing of a message about a foreign topic need be read. */
  refuseForeign(topicArn: string | undefined): void;
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

  const refuseForeign = (topicArn: string | undefined) => {
    if (topicArn !== undefined && !topics.includes(topicArn))
      throw unverified('the topic is not one of ours');
  };

  return {
    refuseForeign,
    async verify(input) {
      const fields = textsOf(input);
      const signed = ownEntry(SIGNED, fields.Type ?? '');
      if (!signed) throw unverified('it is no SNS message');
      refuseForeign(fields.TopicArn ?? '');
      const algorithm = ownEntry({ 1: 'RSA-SHA1', 2: 'RSA-SHA256' }, fields.SignatureVersion ?? '');
      const url = urlOfSns(fields.SigningCertURL, fields.TopicArn);
      if (!algorithm || !url || !CERTIFICATE_PATH.test(url.pathname + url.search))
        throw unverified('it names no signature of Amazon');
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
      const { SubscribeURL, TopicArn } = textsOf(input);
      const url = urlOfSns(SubscribeURL, TopicArn);
      const confirms =
        url?.pathname === '/' &&
        url.searchParams.get('Action') === 'ConfirmSubscription' &&
        url.searchParams.get('TopicArn') === TopicArn;
      if (!confirms) throw unverified('the address to confirm at is not one of Amazon');
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

const CERTIFICATE_PATH = /^\/SimpleNotificationService-[A-Za-z0-9]{1,64}\.pem$/;

/** An address of SNS in the topic's region. Other services have names that look like it: a bucket may be called `sns`. */
function urlOfSns(text: string | undefined, topicArn: string | undefined): URL | null {
  const url = text === undefined ? null : parseUrl(text);
  if (url === null) return null;
  const [, partition, region] =
    /^arn:(aws[a-z-]*):sns:([a-z]{2,4}(?:-[a-z]+){1,3}-\d{1,2}):/.exec(topicArn ?? '') ?? [];
  const host = `sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`;
  // The origin has the port in it, when it is not the usual one.
  const isThere = region !== undefined && url.origin === `https://${host}`;
  return isThere && url.username + url.password === '' ? url : null;
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
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    // Left in the middle, the rest is not fetched.
    if (text.length > MAX_TEXT_LENGTH) throw new Error('too long');
  }
  return text;
};

const MAX_TEXT_LENGTH = 64 * 1024;
