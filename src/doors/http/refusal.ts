import type { Context } from 'hono';
import type { PostriderError } from '../../kernel/index.js';
import { problem } from './problem.js';
import type { HttpEnv } from './request-context.js';
import { isResendPath, resendError } from './resend/resend-error.js';

/** An error as the API that was asked says it: Resend's clients read another form than everyone else. */
export function refusal(error: PostriderError, c: Context<HttpEnv>): Response {
  if (!isResendPath(c.req.path)) return problem(error, c.get('requestId'));
  return resendError(error, { caller: c.get('caller'), hasKey: c.req.header('authorization') !== undefined });
}
