import type { z } from 'zod';
import type { RateLimit } from '../kernel/index.js';
import { checkDeclaration, PORTALS, type Portal, readDuration } from './check-declaration.js';
import { checkTemplates } from './check-templates.js';

/**
 * Declares one type of email: what data it takes, whose it is, and how it is sent when the sender does not say
 * otherwise. Its content is templates/<portal>/<type>.html for types of this package, or given here. What does not hold
 * together, a sample that does not fit its schema or a template that cannot show it too, is INVALID_CONFIG with the field.
 */
export function defineEmail<const Name extends string, Schema extends z.ZodType>(
  declaration: EmailDeclaration<Name, Schema>,
): EmailType<Name, Schema> {
  checkDeclaration(declaration);
  const { expiresIn, sensitive, subjectFields, rateLimit, category, essential } = declaration;
  const type: EmailType<Name, Schema> = Object.freeze({
    ...declaration,
    sensitive: sensitive ?? false,
    subjectFields: subjectFields ?? [],
    rateLimit: rateLimit ?? null,
    essential: essential ?? ESSENTIAL_CATEGORIES.includes(category),
    expiresInMs: expiresIn === undefined ? null : readDuration(expiresIn),
  });
  // A template in a file is known where the type is used.
  if (type.content) checkTemplates(type);
  return type;
}

export { PORTALS, type Portal };

/** What nobody can unsubscribe from. */
export const ESSENTIAL_CATEGORIES: readonly string[] = ['auth', 'account', 'security'];

export interface EmailDeclaration<Name extends string, Schema extends z.ZodType> {
  type: Name;
  portal: Portal;
  /** A strict object names fields it does not know. */
  data: Schema;
  /** Data to show it with; must fit the schema. */
  sample: z.input<Schema>;
  /** Further cases worth looking at, by name. */
  moreSamples?: Record<string, z.input<Schema>>;
  /** What kind of email it is: the name of the preference by which people refuse it. */
  category: EmailCategory;
  /** Sign-in and security: nobody can unsubscribe from it. Defaults to whether the category is auth, account or security. */
  essential?: boolean;
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
  /** The fields of a sensitive type that are no secret: only they may stand in its subject and preheader. Defaults to none. */
  subjectFields?: readonly string[];
  content?: EmailContent;
  /** Files that go along, made from the data. */
  attachments?(data: z.output<Schema>, making: Making): TypeAttachment[];
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
  extends Readonly<
    Omit<
      EmailDeclaration<Name, Schema>,
      'sensitive' | 'subjectFields' | 'rateLimit' | 'essential' | 'attachments'
    >
  > {
  readonly sensitive: boolean;
  readonly subjectFields: readonly string[];
  readonly rateLimit: RateLimit | null;
  readonly essential: boolean;
  readonly expiresInMs: number | null;
  /** As a method, so that types of different data fit into one list. */
  attachments?(data: z.output<Schema>, making: Making): TypeAttachment[];
}

/** What a file that goes along may know besides the data. */
export interface Making {
  /** The moment the email is accepted. */
  at: Date;
  companyId: string;
  brand: { name: string; supportEmail: string; url: string };
}

/** `auth` and `account` are essential: no preference stops them. The others are people's to choose. */
export type EmailCategory =
  | 'auth'
  | 'account'
  | 'circles'
  | 'weeklyFocus'
  | 'reminders'
  | 'streakWarnings'
  | 'reEngagement'
  | (string & {});

export interface TypeAttachment {
  filename: string;
  contentType: string;
  /** As text, or as bytes. */
  content: string | Uint8Array;
  /** Makes it an image that the HTML shows as cid:… */
  contentId?: string;
}
