import type { Database, Queryable } from '../store/index.js';
import type { RulesReader } from './rules.js';

/**
 * A change to limits or quotas: in one transaction with the number that tells every process to read them again, and
 * known to this process at once. Answers whether anything changed.
 */
export async function changeRules(
  { database, rules }: RulesAccess,
  work: (tx: Queryable) => Promise<boolean>,
): Promise<boolean> {
  const changed = await (await database()).prompt().transaction(async (tx) => {
    const done = await work(tx);
    if (done) await tx.query('update postrider.policy_revision set revision = revision + 1');
    return done;
  });
  (await rules()).forget();
  return changed;
}

export interface RulesAccess {
  database(): Promise<Database>;
  rules(): Promise<RulesReader>;
}
