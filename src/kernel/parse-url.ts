import { domainToASCII } from 'node:url';

/**
 * A URL that somebody else wrote, or null where it is none. Finding the ASCII form of a host takes time in the square of
 * its length: 30,000 letters take five seconds. What is longer than a URL is, or has a part beyond ASCII longer than any
 * host is, is not looked at.
 */
export function parseUrl(text: string): URL | null {
  return isOfUsualLength(text) && URL.canParse(text) ? new URL(text) : null;
}

export function isOfUsualLength(url: string): boolean {
  if (url.length > MAX_URL) return false;
  return url.length <= MAX_FOREIGN || url.split(SEPARATOR).every(isOfUsualPartLength);
}

/** In ASCII, or null where it is no domain. */
export function domainInAscii(domain: string): string | null {
  return (isOfUsualPartLength(domain) && domainToASCII(domain)) || null;
}

function isOfUsualPartLength(part: string): boolean {
  return part.length <= MAX_FOREIGN || ASCII.test(part);
}

const MAX_URL = 8192;
/** A host has at most 253 characters in ASCII, and never fewer there than otherwise. */
const MAX_FOREIGN = 300;
const SEPARATOR = /[/\\?#]/;
const ASCII = /^[\x00-\x7f]*$/;
