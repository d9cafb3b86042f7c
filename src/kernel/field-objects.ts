import { z } from 'zod';
import { type Declared, declare, type Field } from './declare-field.js';
import { invalidPayload, pathTo, readFields } from './input-fields.js';

/**
 * Fields put together: an object of known names, or one of several such objects. What is read holds the names that
 * were given and no others; what two of them say together is said with `together`, and the schema asks it too.
 */
export function fields<const F extends FieldSet>(set: F, options: ObjectOptions<F> = {}): ObjectField<F> {
  const { nullIsAbsent = false, together, id } = options;
  const names = Object.keys(set);
  const shown = () => {
    const shape = names.map((name) => {
      const { schema, needed } = set[name] as Named;
      return [name, needed ? schema : nullIsAbsent ? schema.nullish() : schema.optional()];
    });
    return z.strictObject(Object.fromEntries(shape));
  };
  const read = (input: unknown, place: string): ReadOf<F> => {
    const given = readFields(input, place, names, { keepNull: !nullIsAbsent });
    const found: Record<string, unknown> = {};
    for (const name of names) {
      const one = set[name] as Named;
      if (given[name] !== undefined) found[name] = one.read(given[name], pathTo(place, name));
      else if (one.needed) throw invalidPayload(pathTo(place, name), one.needed.missing);
    }
    together?.(found as ReadOf<F>, (name) => pathTo(place, name));
    return found as ReadOf<F>;
  };
  return Object.assign(declare(shown, read, id === undefined ? undefined : { id }), { names });
}

export interface ObjectOptions<F extends FieldSet> {
  /** null is as good as not said, everywhere in it. */
  nullIsAbsent?: boolean;
  /** Throws where two of them do not go together. */
  together?(given: ReadOf<F>, at: (name: string) => string): void;
  /** Under which the description of the API has it. */
  id?: string;
}

/** One of several objects; `pick` says which is meant, or throws. */
export function oneOf<const Ways extends Record<string, Field<unknown> & Names>>(
  ways: Ways,
  pick: (given: Readonly<Record<string, unknown>>, place: string) => keyof Ways & string,
): Field<ReadWay<Ways[keyof Ways]>> {
  const names = Object.values(ways).flatMap((way) => way.names);
  return declare(
    () => z.union(Object.values(ways).map(({ schema }) => schema) as [z.ZodType, ...z.ZodType[]]),
    (input, place) => {
      const given = readFields(input, place, names, { keepNull: true });
      // As given: a name of another way that is there and undefined is not said.
      return ways[pick(given, place)]!.read(given, place) as ReadWay<Ways[keyof Ways]>;
    },
  );
}

/** It must be there. */
export function needed<F extends Field<unknown>>(one: F, missing = 'is missing'): F & Needed {
  const kept = declare(() => one.schema, one.read);
  return Object.assign(kept, { needed: { missing } }) as unknown as F & Needed;
}

/** null means something of its own. */
export function orNull<T>(one: Field<T>): Field<T | null> & Nullable {
  return declare(
    () => one.schema.nullable(),
    (input, name): T | null => (input === null ? null : one.read(input, name)),
  ) as unknown as Field<T | null> & Nullable;
}

export type FieldSet = Readonly<Record<string, Field<unknown>>>;
export type ObjectField<F extends FieldSet> = Declared<ReadOf<F>, z.ZodObject> & Names;

export interface Names {
  readonly names: readonly string[];
}

/** The names that were given, with what was read of each. */
export type ReadOf<F extends FieldSet> = {
  [Name in keyof F as F[Name] extends Needed ? Name : never]: Read<F[Name]>;
} & {
  [Name in keyof F as F[Name] extends Needed ? never : Name]?: Read<F[Name]>;
};

export interface Needed {
  readonly needed: { missing: string };
}

export interface Nullable {
  readonly '~null': true;
}

type ReadWay<F> = F extends Field<infer T> ? T : never;
// A kind answers null for what is absent, and what is absent is left out.
type Read<F> = F extends Field<infer T> ? (F extends Nullable ? T : NonNullable<T>) : never;
type Named = Field<unknown> & Partial<Needed>;
