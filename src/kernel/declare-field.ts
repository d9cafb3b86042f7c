import type { z } from 'zod';
import { messageOf } from './errors.js';

/**
 * A part of a request, declared once: `read` is what checks it, `schema` what the description of the API shows of the
 * same limits. The reader is plain code, because every email passes it and a schema's own costs several times as much;
 * the schema asks the reader as well, so the two cannot come apart. It is made when somebody first looks at it: a
 * process that describes nothing makes none.
 */
export interface Field<T> {
  /** Throws with the field's name. */
  read(input: unknown, field: string): T;
  readonly schema: z.ZodType;
}

export function declare<T, Schema extends z.ZodType = z.ZodType>(
  shown: () => Schema,
  read: Field<T>['read'],
  says: string | { id: string } | undefined = undefined,
): Declared<T, Schema> {
  return new Declared(shown, read, says);
}

/** Whether it was declared, and is not a schema beside a reader that knows nothing of it. */
export function isDeclared(value: unknown): boolean {
  return value instanceof Declared;
}

export class Declared<T, Schema extends z.ZodType = z.ZodType> implements Field<T> {
  private made: Schema | null = null;

  constructor(
    private readonly shown: () => Schema,
    readonly read: Field<T>['read'],
    private readonly says?: string | { id: string },
  ) {}

  get schema(): Schema {
    this.made ??= this.make();
    return this.made;
  }

  private make(): Schema {
    const schema = this.shown().superRefine((value, context) => {
      try {
        this.read(value, 'it');
      } catch (error) {
        context.addIssue({ code: 'custom', message: messageOf(error) });
      }
    }) as Schema;
    if (this.says === undefined) return schema;
    return (typeof this.says === 'string' ? schema.describe(this.says) : schema.meta(this.says)) as Schema;
  }
}
