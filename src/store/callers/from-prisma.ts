import type { Queryable } from '../database.js';
import { callerQueries, hasFunction, notOpen, unsupported } from './caller-queries.js';
import { parameterText } from './parameter-text.js';

/**
 * Prisma's interactive transaction. Which lists and types its engines can send differs from one to the next; text is
 * what all of them can, so a parameter that our statement casts goes as text and is read on the server.
 */
export function fromPrisma(tx: unknown): Queryable | null {
  if (!hasFunction(tx, '$queryRawUnsafe')) return null;
  if (hasFunction(tx, '$connect'))
    throw unsupported("tx is Prisma's client: pass what $transaction(async (tx) => …) gives.");
  const prisma = tx as PrismaTransaction;
  // It refuses a transaction that is over by itself.
  const state = () => 'open' as const;
  return callerQueries((text, values) => {
    const asText = values.map((_, index) => isAlwaysCast(text, index + 1));
    return prisma
      .$queryRawUnsafe(
        text.replace(/\$(\d+)(?=::)/g, (place, digits) =>
          asText[Number(digits) - 1] ? `${place}::text` : place,
        ),
        ...values.map((value, index) => (asText[index] ? parameterText(value) : value)),
      )
      .catch((error: unknown) => {
        throw (error as { code?: unknown } | null)?.code === TRANSACTION_API_ERROR ? notOpen(error) : error;
      });
  }, state);
}

/** Among others: the transaction is over, or has taken longer than Prisma allows. */
const TRANSACTION_API_ERROR = 'P2028';

interface PrismaTransaction {
  $queryRawUnsafe(text: string, ...values: unknown[]): Promise<unknown>;
}

function isAlwaysCast(text: string, n: number): boolean {
  return !new RegExp(`\\$${n}(?!\\d|::)`).test(text);
}
