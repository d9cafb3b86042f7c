import { PostriderError } from '../kernel/index.js';
import type { Queryable } from './database.js';

/**
 * One transaction's own handle. Its connection serves other transactions later, so a handle kept past the end would
 * write into one of those; it refuses instead.
 */
export interface TransactionScope {
  tx: Queryable;
  readonly open: boolean;
  end(): void;
}

export function transactionScope(target: Queryable): TransactionScope {
  let open = true;
  return {
    tx: {
      ...target,
      async query(statement, values) {
        if (!open) {
          throw new PostriderError(
            'TRANSACTION_ENDED',
            'This transaction has been committed or rolled back.',
            {
              field: 'tx',
            },
          );
        }
        return target.query(statement, values);
      },
    },
    get open() {
      return open;
    },
    end() {
      open = false;
    },
  };
}
