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
  const whileOpen = () => {
    if (open) return;
    throw new PostriderError('TRANSACTION_ENDED', 'This transaction has been committed or rolled back.', {
      field: 'tx',
    });
  };
  const { copy } = target;
  return {
    tx: {
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
    },
    get open() {
      return open;
    },
    end() {
      open = false;
    },
  };
}
