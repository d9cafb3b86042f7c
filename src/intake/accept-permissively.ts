import { type ErrorCode, killPoint, PostriderError } from '../kernel/index.js';
import { findFirstAnswer, fingerprint, rememberAnswer } from '../policy/index.js';
import type { Queryable } from '../store/index.js';
import type { EachAnswer } from './accept-each.js';

/**
 * A batch of which those that can be accepted are, with one key for the whole of it: the same key and body give the
 * same ids and the same refusals again. A batch of which nothing was accepted leaves no trace, so its key is free.
 */
export type PermissiveAnswer =
  | { emailId: string; refused: null }
  | { emailId: null; refused: { code: ErrorCode; message: string; field: string | null } };

export async function acceptPermissively(
  tx: Queryable,
  { key, tenant, accept }: PermissiveBatch,
): Promise<PermissiveAnswer[]> {
  if (key === null) return (await accept()).map(plain);
  const body = fingerprint({ permissive: key.input }); // the strict answer to the same body is another
  if (body === null) throw new PostriderError('INVALID_PAYLOAD', 'The emails cannot be written as JSON.');
  const idempotency = { tenant, key: key.key, fingerprint: body };
  const first = await findFirstAnswer<{ permissive: PermissiveAnswer[] }>(tx, idempotency);
  if (first) return first.permissive;
  const answers = (await accept()).map(plain);
  const accepted = answers.find((answer) => answer.emailId !== null);
  if (accepted?.emailId) await rememberAnswer(tx, idempotency, accepted.emailId, { permissive: answers });
  killPoint('intake:remembered');
  return answers;
}

export interface PermissiveBatch {
  key: { key: string; input: unknown } | null;
  tenant: string;
  accept(): Promise<EachAnswer[]>;
}

function plain(answer: EachAnswer): PermissiveAnswer {
  if (answer.refused === null) return answer;
  const { code, message, field } = answer.refused;
  // What failed on our side is not the caller's to read.
  if (answer.refused.status >= 500) throw answer.refused;
  return { emailId: null, refused: { code, message, field: field ?? null } };
}
