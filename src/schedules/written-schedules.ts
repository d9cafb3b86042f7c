import { z } from 'zod';
import { messageOf, type Parsed } from '../kernel/index.js';
import type { AudienceMember } from '../recipients/index.js';
import { defineSchedule, type Schedule } from './define-schedule.js';

/**
 * Schedules as they are written down in settings: an email type to recipients, with data that is the same for everyone
 * or taken from the recipient. Refuses what it does not know; what needs code is defined in code.
 */
export type WrittenSchedule = z.infer<typeof written>;

const words = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);
const written = z.strictObject({
  name: z.string(),
  cron: z.string().nullable(),
  timeZone: z.string().optional(),
  catchUp: z.enum(['none', 'last', 'all']).optional(),
  within: z.union([z.number(), z.string()]).optional(),
  notAgainForDays: z.int().positive().max(3650).optional(),
  audience: z.strictObject({
    companyId: words.optional(),
    status: words.optional(),
    accountType: words.optional(),
    language: words.optional(),
    attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    optedIn: z.string().min(1).optional(),
    noCheckInToday: z.boolean().optional(),
    streakAtLeast: z.int().min(1).max(100_000).optional(),
    idleDays: z.int().min(1).max(3650).optional(),
    reminderDue: z.boolean().optional(),
  }),
  type: z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/),
  data: z.record(z.string(), z.unknown()).optional(),
  /** A name of the data → a field of the recipient, or `attributes.x`; left out where the recipient has none. */
  dataFrom: z
    .record(
      z.string(),
      z.string().regex(/^(?:name|email|externalId|language|timeZone|accountType|streakDays|attributes\..+)$/),
    )
    .optional(),
});

export function parseWrittenSchedules(raw: unknown): Parsed<readonly WrittenSchedule[]> {
  const read = z.array(written).safeParse(raw);
  if (!read.success) {
    const [{ path = [], message = '' } = {}] = read.error.issues;
    const at = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
    return { ok: false, reason: `must be a list of schedules; ${at || 'it'}: ${message}` };
  }
  const names = read.data.map(({ name }) => name);
  if (new Set(names).size < names.length) return { ok: false, reason: 'has two schedules of one name' };
  try {
    for (const one of read.data) scheduleOf(one);
  } catch (error) {
    return { ok: false, reason: `is not right: ${messageOf(error)}` };
  }
  return { ok: true, value: read.data };
}

export function scheduleOf({ audience, type, data, dataFrom = {}, ...declared }: WrittenSchedule): Schedule {
  const { notAgainForDays, ...when } = declared;
  return defineSchedule({
    ...(given(when) as Pick<WrittenSchedule, 'name' | 'cron'>),
    campaign: {
      audience: given(audience),
      ...(notAgainForDays !== undefined && { notAgainForDays }),
      email: (person) => ({ type, data: { ...data, ...taken(person, dataFrom) } }),
    },
  });
}

function taken(person: AudienceMember, from: Record<string, string>): Record<string, unknown> {
  const values = Object.entries(from).map(([name, field]): [string, unknown] => [
    name,
    field.startsWith('attributes.')
      ? own(person.attributes, field.slice('attributes.'.length))
      : own(person, field),
  ]);
  return Object.fromEntries(values.filter(([, value]) => value !== null && value !== undefined));
}

/** Never what an object has by birth. */
function own(from: object, key: string): unknown {
  return Object.hasOwn(from, key) ? from[key as keyof typeof from] : undefined;
}

/** Without the keys that were left out. */
function given<T extends object>(parts: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as never;
}
