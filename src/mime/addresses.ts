import type { Address } from 'postal-mime';
import type { Mailbox } from '../kernel/index.js';
import { MAX_ADDRESSES, tooLarge } from './mail-limits.js';

export type { Address } from 'postal-mime';

/**
 * Addresses and encoded words of headers (RFC 5322, RFC 2047). Their reader is loaded when the first is met, and given
 * no more than it reads in a few milliseconds.
 */
export async function readAddresses(value: string, field: string): Promise<Address[]> {
  if (value === '') return [];
  if (separatorsIn(value) > MAX_SEPARATORS || value.length > MAX_LENGTH)
    throw tooLarge(`has more than ${MAX_ADDRESSES} addresses in ${field}`);
  const { addressParser } = await import('postal-mime');
  const addresses = addressParser(value);
  if (flattened(addresses).length > MAX_ADDRESSES)
    throw tooLarge(`has more than ${MAX_ADDRESSES} addresses in ${field}`);
  return addresses;
}

/** Those of groups by themselves. */
export function flattened(addresses: readonly Address[]): Mailbox[] {
  return addresses
    .flatMap((one) => one.group ?? [one])
    .map(({ address, name }) => (name ? { address: address ?? '', name } : { address: address ?? '' }));
}

export async function decodeWords(text: string): Promise<string> {
  if (!text.includes('=?')) return text;
  const words = await import('postal-mime');
  return words.decodeWords(text);
}

/** Of each address: a comma, quotes and angle brackets around a name, and a comment. */
const MAX_SEPARATORS = MAX_ADDRESSES * 10;
const MAX_LENGTH = MAX_ADDRESSES * 1024;

function separatorsIn(value: string): number {
  let separators = 0;
  for (let at = 0; at < value.length; at += 1) if (SEPARATORS.includes(value[at]!)) separators += 1;
  return separators;
}

const SEPARATORS = ',;:<>()"';
