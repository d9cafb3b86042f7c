import { createHash, sign as signWith } from 'node:crypto';
import { promisify } from 'node:util';
import { relaxBody, relaxHeader } from './dkim-canonical.js';
import { type DkimKey, findDkimKeys, type ResolvedDkimKey, resolveDkimKeys } from './dkim-keys.js';
import { headerAddress } from './format-mailbox.js';

/**
 * Signs messages as RFC 6376 and RFC 8463 say, relaxed/relaxed, with every key of the sender's domain, or a single one:
 * then by RSA where there is such a key, since not every server can verify Ed25519.
 * A message of a domain without a key is returned as it is. Works on the message before dot-stuffing.
 */
export function createDkimSigner(
  keys: readonly DkimKey[],
  options: { unsigned?: readonly string[]; single?: boolean } = {},
): DkimSigner {
  const byDomain = resolveDkimKeys(keys);
  if (options.single) for (const [domain, all] of byDomain) byDomain.set(domain, [preferred(all)]);
  const wanted = SIGNED.filter((name) => !options.unsigned?.includes(name));
  return {
    signs: (from) => byDomain.size > 0 && findDkimKeys(byDomain, headerAddress(from, 'from')).length > 0,
    async sign(message, from) {
      const found = findDkimKeys(byDomain, headerAddress(from, 'from'));
      if (found.length === 0) return message;
      const at = message.indexOf('\r\n\r\n');
      const head = message.toString('utf8', 0, at);
      const headers = signedHeaders(head, wanted);
      const bodyHash = createHash('sha256')
        .update(relaxBody(message.subarray(at + 4)))
        .digest('base64');
      const signatures = await Promise.all(found.map((key) => signature(key, headers, bodyHash)));
      return Buffer.concat([...signatures.map((line) => Buffer.from(line)), message]);
    },
  };
}

function preferred(keys: readonly ResolvedDkimKey[]): ResolvedDkimKey {
  return keys.find(({ algorithm }) => algorithm === 'rsa-sha256') ?? keys[0]!;
}

export interface DkimSigner {
  /** Whether there is a key for this address; without one `sign` changes nothing. */
  signs(from: string): boolean;
  /** `from` is the address in the From header: its domain chooses the keys. */
  sign(message: Buffer, from: string): Promise<Buffer>;
}

/** RFC 6376, section 5.4.1: what says who wrote what to whom, how it is read and how one leaves. */
const SIGNED = [
  'from',
  'sender',
  'reply-to',
  'to',
  'cc',
  'subject',
  'date',
  'message-id',
  'in-reply-to',
  'references',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'list-id',
  'list-unsubscribe',
  'list-unsubscribe-post',
];

/** Named once more than they occur: a second one added on the way breaks the signature. */
const OVERSIGNED = new Set(['from', 'to', 'cc', 'subject', 'reply-to', 'content-type']);

interface SignedHeaders {
  names: string[];
  canonical: string;
}

function signedHeaders(head: string, wanted: readonly string[]): SignedHeaders {
  const lines = head.split(/\r\n(?![ \t])/);
  const names: string[] = [];
  let canonical = '';
  for (const name of wanted) {
    // Verifiers take several of one name from the last upwards.
    const same = lines.filter((line) => line.slice(0, line.indexOf(':')).toLowerCase() === name).reverse();
    for (const line of same) {
      names.push(name);
      canonical += `${relaxHeader(line)}\r\n`;
    }
    if (OVERSIGNED.has(name)) names.push(name);
  }
  return { names, canonical };
}

async function signature(key: ResolvedDkimKey, headers: SignedHeaders, bodyHash: string): Promise<string> {
  const unsigned =
    `DKIM-Signature: v=1; a=${key.algorithm}; c=relaxed/relaxed; d=${key.domain};\r\n` +
    ` s=${key.selector}; h=${foldNames(headers.names)};\r\n bh=${bodyHash};\r\n b=`;
  const data = Buffer.from(headers.canonical + relaxHeader(unsigned));
  const signed =
    key.algorithm === 'ed25519-sha256'
      ? signWith(null, createHash('sha256').update(data).digest(), key.key)
      : await signInThreadPool('sha256', data, key.key);
  return `${unsigned}${signed.toString('base64').replace(/.{72}(?=.)/g, '$&\r\n ')}\r\n`;
}

/** An RSA signature takes a third of a millisecond, which the event loop should not spend. */
const signInThreadPool = promisify(signWith);

/** The names with a fold after every few, so that no line grows beyond 78. */
function foldNames(names: readonly string[]): string {
  let out = '';
  let column = 30;
  for (const [index, name] of names.entries()) {
    if (column + name.length > 72) {
      out += '\r\n ';
      column = 1;
    }
    const piece = index === names.length - 1 ? name : `${name}:`;
    out += piece;
    column += piece.length;
  }
  return out;
}
