import type { z } from 'zod';
import { PostriderError } from '../kernel/index.js';

/**
 * Declares one type of email: what data it takes, whose it is, and how it is sent when the sender does not say
 * otherwise. Its content is templates/<portal>/<type>.html for types of this package, or given here.
 */
export function defineEmail<const Name extends string, Schema extends z.ZodType>(
  declaration: EmailDeclaration<Name, Schema>,
): EmailType<Name, Schema> {
  const { type, portal } = declaration;
  if (!TYPE_NAME.test(type))
    throw invalid(type, 'must be a letter and up to 63 letters, digits, dots, hyphens or underscores');
  if (!PORTALS.includes(portal)) throw invalid(type, `has no portal; there are ${PORTALS.join(', ')}`);
  const expiresInMs = declaration.expiresIn === undefined ? null : readDuration(declaration.expiresIn);
  if (expiresInMs !== null && !(expiresInMs > 0))
    throw invalid(type, 'has an expiresIn that is not like "15m"');
  return Object.freeze({
    ...declaration,
    sensitive: declaration.sensitive ?? false,
    rateLimit: declaration.rateLimit ?? null,
    expiresInMs,
  });
}

export const PORTALS = ['admin', 'hub', 'org', 'agency', 'app', 'rss'] as const;
export type Portal = (typeof PORTALS)[number];

export interface EmailDeclaration<Name extends string, Schema extends z.ZodType> {
  type: Name;
  portal: Portal;
  /** A strict object names fields it does not know. */
  data: Schema;
  /** Data to show it with; must fit the schema. */
  sample: z.input<Schema>;
  /** Further cases worth looking at, by name. */
  moreSamples?: Record<string, z.input<Schema>>;
  /** What kind of email it is, for people's preferences. */
  category: EmailCategory;
  /** 1 critical, 2 high, 3 normal, 4 low. Defaults to 3. */
  priority?: 1 | 2 | 3 | 4;
  /** Defaults to none. */
  rateLimit?: RateLimit | null;
  /** Defaults to the setting retry.preset. */
  retry?: 'gateway' | 'outbox' | 'system' | 'broker' | 'bus';
  /** Defaults to at-least-once. */
  delivery?: 'at-least-once' | 'at-most-once';
  /** From acceptance or scheduledAt: milliseconds, or text such as 15m, 24h, 7d. Defaults to never. */
  expiresIn?: number | string;
  /** Holds a code or a link that lets someone in: hidden from operators, purged once sent. Defaults to false. */
  sensitive?: boolean;
  content?: EmailContent;
  /** Files that go along, made from the data. */
  attachments?(data: z.output<Schema>): TypeAttachment[];
}

export interface EmailContent {
  subject: string;
  /** Inside the portal's layout, unless it is a whole document. */
  html: string;
  /** Defaults to what the HTML says. */
  text?: string;
  /** Texts for {{t "key"}} by language and key, before those of the package. */
  messages?: Record<string, Record<string, string>>;
}

export interface EmailType<Name extends string = string, Schema extends z.ZodType = z.ZodType>
  extends Readonly<Omit<EmailDeclaration<Name, Schema>, 'sensitive' | 'rateLimit' | 'attachments'>> {
  readonly sensitive: boolean;
  readonly rateLimit: RateLimit | null;
  readonly expiresInMs: number | null;
  /** As a method, so that types of different data fit into one list. */
  attachments?(data: z.output<Schema>): TypeAttachment[];
}

export interface RateLimit {
  limit: number;
  /** null counts for ever: once per person. */
  windowSeconds: number | null;
}

export type EmailCategory = 'auth' | 'account' | 'circles' | 'automated' | (string & {});

export interface TypeAttachment {
  filename: string;
  contentType: string;
  /** As text, or as bytes. */
  content: string | Uint8Array;
}

const TYPE_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function readDuration(input: number | string): number {
  if (typeof input === 'number') return input;
  const match = /^(\d{1,6})(s|m|h|d)$/.exec(input);
  return match ? Number(match[1]) * UNITS[match[2]!]! : Number.NaN;
}

function invalid(type: string, problem: string): PostriderError {
  return new PostriderError('INVALID_CONFIG', `The email type ${type} ${problem}.`, { field: 'types' });
}
