import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import {
  didYouMean,
  hasControlCharacter,
  messageOf,
  type Parsed,
  PostriderError,
} from '../../kernel/index.js';
import { PORTALS, type Portal } from '../check-declaration.js';

/**
 * How an application's emails look, as it is written down: a list in which later entries win, each for all portals or
 * one, for all companies or one. Refuses what it does not know, colours and links that are none, and a logo that
 * cannot be read; every refusal names its field.
 */
export interface BrandInput extends BrandLook {
  /** Defaults to all of them. */
  portal?: Portal | undefined;
  /** Defaults to all of them. */
  companyId?: string | undefined;
}

export interface BrandLook {
  name?: string | undefined;
  /** Where the application lives; wins over APP_URL. */
  url?: string | undefined;
  supportEmail?: string | undefined;
  /** The postal address below every email. */
  address?: string | undefined;
  /** Buttons, links and the name. */
  color?: string | undefined;
  /** The same on dark screens. Defaults to a lighter `color`. */
  colorDark?: string | undefined;
  /** Text. */
  ink?: string | undefined;
  /** Behind everything. */
  paper?: string | undefined;
  /** Behind codes and quotes. */
  panel?: string | undefined;
  line?: string | undefined;
  /** Of buttons. */
  radius?: string | undefined;
  cardRadius?: string | undefined;
  font?: string | undefined;
  headingFont?: string | undefined;
  /** Stands in the place of the name. */
  logo?: LogoInput | undefined;
  /** The line that opens the footer, or one by language. Defaults to the portal's own. */
  footer?: string | Record<string, string> | undefined;
  /** Pages that footers link to; null leaves the link out. Default to /help, /settings/emails and /legal of `url`. */
  helpUrl?: string | null | undefined;
  settingsUrl?: string | null | undefined;
  legalUrl?: string | null | undefined;
}

export interface LogoInput {
  /** A PNG, JPEG or GIF file of up to 100 KB, which goes along inside every email. */
  file?: string | undefined;
  /** Instead: an https address, which mail programs load or block. */
  url?: string | undefined;
  /** As shown, in pixels. */
  width: number;
}

/** A brand as it was written, with the bytes of its logo. */
export interface ParsedBrand extends BrandInput {
  image?: { contentType: string; content: Uint8Array } | undefined;
}

export function parseBrands(raw: unknown): Parsed<readonly ParsedBrand[]> {
  if (!Array.isArray(raw)) return { ok: false, reason: 'must be a list of brands' };
  const reasons: string[] = [];
  const brands = raw.map((entry: unknown, index) => {
    const result = brand.safeParse(entry);
    if (!result.success) {
      reasons.push(...result.error.issues.map((issue) => `[${index}]${sentence(issue)}`));
      return {};
    }
    const { file } = result.data.logo ?? {};
    if (file === undefined) return result.data;
    const image = readImage(file);
    if ('problem' in image) reasons.push(`[${index}].logo.file ${image.problem}`);
    return 'problem' in image ? {} : { ...result.data, image };
  });
  return reasons.length > 0 ? { ok: false, reason: reasons.join('; ') } : { ok: true, value: brands };
}

/** The same for brands given in code; throws INVALID_CONFIG. */
export function checkBrands(brands: unknown): readonly ParsedBrand[] {
  const parsed = parseBrands(brands);
  if (parsed.ok) return parsed.value;
  const message = parsed.reason.startsWith('[') ? `brands${parsed.reason}` : `brands ${parsed.reason}`;
  throw new PostriderError('INVALID_CONFIG', `${message}.`, {
    field: message.slice(0, message.indexOf(' ')),
  });
}

/** For `postrider config`. */
export function showBrands(brands: readonly ParsedBrand[]): string {
  return brands
    .map(({ portal, companyId, name }) => {
      const scope = [portal, companyId].filter(Boolean).join(' of ');
      return [name ?? 'a brand', scope && `(${scope})`].filter(Boolean).join(' ');
    })
    .join(', ');
}

const line = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => !hasControlCharacter(text), 'must be one line without control characters');
const link = z
  .url({ protocol: /^https?$/, error: 'must be a URL starting with http:// or https://' })
  .max(2000);
const color = z
  .string()
  .regex(/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i, 'must be a colour such as #2c6e63')
  .transform(sixDigits);
const radius = z
  .string()
  .regex(/^(?:0|\d{1,2}px)(?: (?:0|\d{1,2}px)){0,3}$/, 'must be pixels such as 8px or 0 0 6px 6px');
const font = z
  .string()
  .max(300)
  .regex(/^[\w\s,'-]+$/, 'must be names of fonts separated by commas, such as Georgia, serif');
const footer = z.union(
  [line(500), z.record(z.string().regex(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/), line(500))],
  {
    error: 'must be one line, or lines by language such as { "en": "…", "de": "…" }',
  },
);
const logo = z
  .strictObject({
    file: line(1000).optional(),
    url: z
      .url({ protocol: /^https$/, error: 'must be a URL starting with https://' })
      .max(2000)
      .optional(),
    width: z.int().min(1).max(520),
  })
  .refine((one) => (one.file === undefined) !== (one.url === undefined), 'must have either file or url');

const fields = {
  portal: z.enum(PORTALS, { error: `must be one of ${PORTALS.join(', ')}` }),
  companyId: z.string().regex(/^[A-Za-z0-9._:-]{1,128}$/, 'must be the id of a company'),
  name: line(80),
  url: link,
  supportEmail: z.email({ error: 'must be an email address' }).max(254),
  address: line(200),
  ...{ color, colorDark: color, ink: color, paper: color, panel: color, line: color },
  ...{ radius, cardRadius: radius, font, headingFont: font, logo, footer },
  ...{ helpUrl: link.nullable(), settingsUrl: link.nullable(), legalUrl: link.nullable() },
};
const brand = z.strictObject(fields).partial();

function sentence(issue: z.core.$ZodIssue): string {
  const path = issue.path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const suggestion = path === '' ? didYouMean(key, Object.keys(fields)) : null;
    return `${path}.${key} is not known${suggestion ? `; did you mean ${suggestion}` : ''}`;
  }
  return `${path} ${issue.message.charAt(0).toLowerCase()}${issue.message.slice(1)}`;
}

function sixDigits(text: string): string {
  return text.length === 7 ? text : `#${[...text.slice(1)].map((digit) => digit + digit).join('')}`;
}

const MAX_LOGO_BYTES = 100 * 1024;
const KINDS: Array<[contentType: string, startsWith: number[]]> = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
];

function readImage(file: string): { contentType: string; content: Uint8Array } | { problem: string } {
  try {
    if (statSync(file).size > MAX_LOGO_BYTES) return { problem: 'is larger than 100 KB' };
    const content = readFileSync(file);
    const kind = KINDS.find(([, start]) => start.every((byte, at) => content[at] === byte));
    return kind ? { contentType: kind[0], content } : { problem: 'is not a PNG, JPEG or GIF' };
  } catch (error) {
    return { problem: `cannot be read: ${messageOf(error)}` };
  }
}
