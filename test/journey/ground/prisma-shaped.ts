import type pg from 'pg';
import type { CallerTransaction } from '../../../src/index.js';

/**
 * The raw calls of Prisma's interactive transaction, on a pg client: only values that every engine of Prisma can
 * send, and answers as it gives them, with BigInt for int8. A stand-in: Prisma's own client is generated per project.
 */
export function prismaShaped(client: pg.PoolClient): CallerTransaction {
  const tx = {
    async $queryRawUnsafe(text: string, ...values: unknown[]): Promise<unknown[]> {
      if (client.getTransactionStatus() === 'I')
        throw Object.assign(new Error('Transaction already closed'), { code: 'P2028' });
      for (const value of values) {
        if (value !== null && !['string', 'number', 'boolean'].includes(typeof value))
          throw new TypeError(`Prisma's engine was given ${JSON.stringify(value)}`);
      }
      const { rows, fields } = await client.query<Record<string, unknown>>(text, values);
      const refused = fields.find(({ dataTypeID }) => dataTypeID === VOID);
      if (refused) throw new TypeError(`Prisma cannot read column ${refused.name} of type void`);
      const large = new Set(fields.filter(({ dataTypeID }) => dataTypeID === INT8).map(({ name }) => name));
      return rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            large.has(name) && value !== null ? BigInt(value as string) : value,
          ]),
        ),
      );
    },
    async $executeRawUnsafe(text: string, ...values: unknown[]): Promise<number> {
      return (await client.query(text, values)).rowCount ?? 0;
    },
  };
  return tx;
}

const INT8 = 20;
const VOID = 2278;
