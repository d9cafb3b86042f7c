import { z } from 'zod';
import {
  type Declared,
  declare,
  isEmailAddress,
  isRegionName,
  isStorableText,
  PostriderError,
  parseHeaderText,
} from '../kernel/index.js';

/** A schema of this room that reads what it describes. */
export function inputOf<Schema extends z.ZodType>(schema: Schema): Declared<z.output<Schema>, Schema> {
  return declare(
    () => schema,
    (input) => readInput(schema, input),
  );
}

/** Input from a door as its schema says, or INVALID_PAYLOAD that names the field; unknown fields are refused. */
export function readInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const read = schema.safeParse(input ?? {});
  if (read.success) return read.data;
  const issue = read.error.issues[0]!;
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const field = [...issue.path, ...(unknown === undefined ? [] : [unknown])].map(String).join('.');
  const problem = unknown === undefined ? issue.message : 'there is no such field';
  throw new PostriderError('INVALID_PAYLOAD', `${field || 'The body'}: ${problem}.`, field ? { field } : {});
}

/** The same form as in an email. */
export const companyId = z
  .string('must be text')
  .regex(
    /^[A-Za-z0-9._:-]{1,128}$/,
    'must be 1 to 128 letters, digits, dots, colons, hyphens or underscores',
  );

export const region = z.string('must be text').refine(isRegionName, 'must be the name of a region');

/** One line a person reads. */
export const label = z.string('must be text').superRefine((text, context) => {
  if (text.trim() === '') context.addIssue({ code: 'custom', message: 'must not be empty' });
  try {
    parseHeaderText(text, 'it', { maxLength: 120 });
  } catch {
    context.addIssue({ code: 'custom', message: 'must be one line of at most 120 characters' });
  }
});

/** One address, without a name. */
export const address = z.string('must be text').refine(isEmailAddress, 'must be an email address');

const DOMAIN = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** In ASCII and lower case, as addresses are stored; an empty list allows none. */
export const domains = z
  .array(
    z
      .string('must be text')
      .transform((text) => text.toLowerCase())
      .pipe(z.string().regex(DOMAIN, 'must be a domain such as example.com, in its ASCII form')),
    'must be a list of domains',
  )
  .max(200, 'must be at most 200 domains')
  .transform((list) => [...new Set(list)]);

export const anyText = z.string('must be text').refine(isStorableText, 'must be valid Unicode');
