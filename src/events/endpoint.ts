import { isIP } from 'node:net';
import { z } from 'zod';
import {
  field,
  fields,
  invalidPayload,
  needed,
  orNull,
  parseLine,
  parsePattern,
  parseUrl,
} from '../kernel/index.js';
import { isPublicAddress } from './public-address.js';
import { WEBHOOK_EVENTS, type WebhookEvent } from './webhook-events.js';

/** Where a tenant wants to be told, as the library and the API show it. The secret is never part of it. */
export interface WebhookEndpoint {
  id: string;
  companyId: string;
  url: string;
  events: WebhookEvent[];
  description: string | null;
  status: 'enabled' | 'disabled';
  disabledAt: string | null;
  disabledReason: string | null;
  /** Since when nothing got through; null while it works. */
  failingSince: string | null;
  createdAt: string;
}

export interface EndpointInput {
  url: string;
  /** Everything, where none are named. */
  events?: readonly WebhookEvent[];
  description?: string;
  companyId?: string;
}

export interface EndpointChange {
  url?: string;
  events?: readonly WebhookEvent[];
  description?: string | null;
  status?: 'enabled' | 'disabled';
}

/** Refuses what could never be reached; the address a name means is judged whenever a connection is made. */
export function parseEndpointUrl(input: unknown, allowPrivate: boolean): string {
  const text = parseLine(input, 'url', MAX_URL);
  if (text === null) throw invalidPayload('url', 'is missing');
  const url = parseUrl(text);
  if (url === null) throw invalidPayload('url', 'must be a URL');
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    throw invalidPayload('url', 'must start with https://');
  if (url.username !== '' || url.password !== '')
    throw invalidPayload('url', 'must not hold a name or a password; requests are signed instead');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const own = /(?:^|\.)localhost\.?$/i.test(host) || (isIP(host) !== 0 && !isPublicAddress(host));
  if (own && !allowPrivate) throw invalidPayload('url', 'must lead to a public address');
  url.hash = '';
  return url.href;
}

function parseEvents(input: unknown): WebhookEvent[] {
  if (input === undefined) return [...WEBHOOK_EVENTS];
  if (!Array.isArray(input) || input.length === 0 || input.length > MAX_EVENTS)
    throw invalidPayload('events', 'must be a list of types of events');
  return [
    ...new Set(
      input.map((event, index) => {
        const known = WEBHOOK_EVENTS.find((type) => type === event);
        if (known === undefined)
          throw invalidPayload(`events[${index}]`, `must be one of ${WEBHOOK_EVENTS.join(', ')}`);
        return known;
      }),
    ),
  ];
}

export function parseCompany(input: unknown): string | null {
  return parsePattern(input ?? undefined, 'companyId', COMPANY_ID, 'the id of a company');
}

const MAX_URL = 2048;
const MAX_EVENTS = 100;
const COMPANY_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const MAX_OVERLAP_HOURS = 24 * 7;
const MAX_PAGE = 200;
const CURSOR = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const url = field.own(
  () =>
    z
      .string()
      .max(MAX_URL)
      .regex(/^[Hh][Tt][Tt][Pp][Ss]?:/),
  (input) => parseEndpointUrl(input, true),
);
const events = field.own(
  () => z.array(z.enum(WEBHOOK_EVENTS)).min(1).max(MAX_EVENTS),
  parseEvents,
  'Everything, where none are named.',
);
const description = field.line(200);
const moment = field.dayOrMoment();

export const ROTATE_FIELDS = {
  overlapHours: field.own(
    () => z.number().min(0).max(MAX_OVERLAP_HOURS),
    (input, name): number => {
      if (typeof input === 'number' && input >= 0 && input <= MAX_OVERLAP_HOURS) return input;
      throw invalidPayload(name, `must be a number from 0 to ${MAX_OVERLAP_HOURS}`);
    },
  ),
} as const;

export const REPLAY_FIELDS = {
  since: moment,
  until: moment,
  status: field.choice(['failed', 'success', 'pending', 'all']),
} as const;

export const DELIVERY_PAGE_FIELDS = {
  limit: field.whole(1, MAX_PAGE),
  cursor: field.pattern(CURSOR, 'a cursor that an earlier page gave'),
  status: field.choice(['pending', 'success', 'failed']),
} as const;

/**
 * What this room reads, and the description of the API shows; whether an address may be private is for whoever has the
 * setting to say.
 */
export const WEBHOOK_INPUTS = {
  endpoint: fields(
    { url: needed(url), events, description, companyId: field.pattern(COMPANY_ID, 'the id of a company') },
    { nullIsAbsent: true },
  ),
  change: fields({
    ...{ url, events, description: orNull(description), status: field.choice(['enabled', 'disabled']) },
  }),
  rotate: fields(ROTATE_FIELDS),
  replay: fields({ ...REPLAY_FIELDS, since: needed(moment, 'says from when on') }, { nullIsAbsent: true }),
} as const;
