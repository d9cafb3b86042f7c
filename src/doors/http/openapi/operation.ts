import type { z } from 'zod';
import type { Declared, Field } from '../../../kernel/index.js';

/**
 * What the document says of one route: a sentence, what goes in, what comes out. What goes in is the very declaration
 * the route or its room reads with, never a schema written for the document alone; tests hold that, and send the example
 * and every spoilt form of it to the real route to compare the two verdicts.
 */
export interface Operation {
  summary: string;
  query?: Declared<unknown, z.ZodObject>;
  body?: Field<unknown>;
  /** The route may be asked without any body. */
  bodyOptional?: boolean;
  /** A body with every field there is. */
  example?: unknown;
  /** Other types of content than JSON. */
  bodyType?: readonly string[];
  /** Every status that is no problem, and what comes with it: a schema, types of content, or null for nothing. */
  answers: Record<number, z.ZodType | readonly string[] | null>;
  headers?: readonly ('Idempotency-Key' | 'X-Request-Id')[];
}

export type Operations = Readonly<Record<string, Operation>>;
