import { createPrivateKey, type KeyObject } from 'node:crypto';
import { PostriderError } from '../../kernel/index.js';

/**
 * The keys mail of a domain is signed with. A key also serves the domain's subdomains, unless one has
 * its own. Refuses at construction a key that is none, or of a kind DKIM does not know.
 */
export interface DkimKey {
  domain: string;
  selector: string;
  /** PEM, or a key object. RSA of at least 1024 bits, or Ed25519. */
  privateKey: string | KeyObject;
}

export interface ResolvedDkimKey {
  domain: string;
  selector: string;
  key: KeyObject;
  algorithm: 'rsa-sha256' | 'ed25519-sha256';
}

export function resolveDkimKeys(keys: readonly DkimKey[]): Map<string, ResolvedDkimKey[]> {
  const byDomain = new Map<string, ResolvedDkimKey[]>();
  for (const each of keys) {
    const resolved = resolveKey(each);
    byDomain.set(resolved.domain, [...(byDomain.get(resolved.domain) ?? []), resolved]);
  }
  return byDomain;
}

/** All keys of the nearest domain that has any: `a.b.example` before `b.example`. */
export function findDkimKeys(
  byDomain: ReadonlyMap<string, ResolvedDkimKey[]>,
  address: string,
): ResolvedDkimKey[] {
  if (byDomain.size === 0) return [];
  let domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  for (;;) {
    const found = byDomain.get(domain);
    if (found) return found;
    const dot = domain.indexOf('.');
    if (dot < 0) return [];
    domain = domain.slice(dot + 1);
  }
}

function resolveKey({ domain, selector, privateKey }: DkimKey): ResolvedDkimKey {
  if (!NAME.test(domain)) throw invalid('dkim.domain', 'A DKIM domain is a domain name in ASCII.');
  if (!NAME.test(selector)) throw invalid('dkim.selector', 'A DKIM selector is written like a domain name.');
  const key = toKeyObject(privateKey);
  const algorithm = algorithmOf(key);
  return { domain: domain.toLowerCase(), selector, key, algorithm };
}

const NAME =
  /^[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)*$/;

function toKeyObject(privateKey: string | KeyObject): KeyObject {
  if (typeof privateKey !== 'string') return privateKey;
  try {
    return createPrivateKey(privateKey);
  } catch (error) {
    throw new PostriderError('INVALID_CONFIG', 'The DKIM key is not a private key in PEM form.', {
      field: 'dkim.privateKey',
      cause: error,
    });
  }
}

function algorithmOf(key: KeyObject): ResolvedDkimKey['algorithm'] {
  if (key.type === 'private' && key.asymmetricKeyType === 'ed25519') return 'ed25519-sha256';
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.type === 'private' && key.asymmetricKeyType === 'rsa' && bits >= 1024) return 'rsa-sha256';
  throw invalid(
    'dkim.privateKey',
    'A DKIM key is a private RSA key of at least 1024 bits or an Ed25519 key.',
  );
}

function invalid(field: string, message: string): PostriderError {
  return new PostriderError('INVALID_CONFIG', message, { field });
}
