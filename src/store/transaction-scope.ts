import { PostriderError } from '../kernel/index.js';
import type { Queryable } from './database.js';
import { driverErrorOf } from './store-errors.js';

/**
 * One transaction's own handle. Its connection serves other transactions later, so a handle kept past the end would
 * write into one of those; it refuses instead.
 */
export interface TransactionScope {
  tx: Queryable;
  readonly open: boolean;
  end(): void;
}

/** The transaction as an application uses it: its own statements fail with the driver's errors, as on its own client. */
export function withDriverErrors(tx: Queryable): Queryable {
  const theirs: Queryable = {
    ...tx,
    async query(statement, values) {
      try {
        return await tx.query(statement, values);
      } catch (error) {
        throw driverErrorOf(error);
      }
    },
  };
  OWN.add(theirs);
  return theirs;
}

/** One that `query` above belongs to, or was made of. */
export function isOwnTransaction(tx: object): boolean {
  return OWN.has(tx);
}

const OWN = new WeakSet<object>();

export function transactionScope(target: Queryable): TransactionScope {
  let open = true;
  const whileOpen = () => {
    if (open) return;
    throw new PostriderError('TRANSACTION_ENDED', 'This transaction has been committed or rolled back.', {
      field: 'tx',
    });
  };
  const { copy } = target;
  const tx: Queryable = {
    ...target,
    async query(statement, values) {
      whileOpen();
      return target.query(statement, values);
    },
    ...(copy && {
      async copy(statements, rows) {
        whileOpen();
        return copy(statements, rows);
      },
    }),
  };
  OWN.add(tx);
  return {
    tx,
    get open() {
      return open;
    },
    end() {
      open = false;
    },
  };
}
