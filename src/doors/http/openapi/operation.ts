import type { z } from 'zod';

/**
 * What the document says of one route: a sentence, what goes in, what comes out. A test sends the example and every
 * spoilt form of it to the real route and compares its verdict with the schema's, so that neither can drift.
 */
export interface Operation {
  summary: string;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** The route may be asked without any body. */
  bodyOptional?: boolean;
  /** A body with every field there is. */
  example?: unknown;
  /** Another type of content than JSON. */
  bodyType?: string;
  /** The statuses of success, and what comes with each; null: nothing. */
  answers: Record<number, z.ZodType | string | null>;
  headers?: readonly ('Idempotency-Key' | 'X-Request-Id')[];
}

export type Operations = Readonly<Record<string, Operation>>;
