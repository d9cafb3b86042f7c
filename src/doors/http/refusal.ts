import type { Context } from 'hono';
import { type Logger, messageOf, type PostriderError } from '../../kernel/index.js';
import { asPostriderError, problem } from './problem.js';
import type { HttpEnv } from './request-context.js';
import { isResendPath, resendError } from './resend/resend-error.js';

/** An error as the API that was asked says it: Resend's clients read another form than everyone else. */
export function refusal(error: PostriderError, c: Context<HttpEnv>): Response {
  if (!isResendPath(c.req.path)) return problem(error, c.get('requestId'));
  return resendError(error, { caller: c.get('caller'), hasKey: c.req.header('authorization') !== undefined });
}

/** The same for whatever was thrown; a fault on our side is logged with what the answer does not say. */
export function refusing(logger: Logger): (thrown: unknown, c: Context<HttpEnv>) => Response {
  return (thrown, c) => {
    const error = asPostriderError(thrown);
    const requestId = c.get('requestId');
    if (error.status >= 500) logger.error({ requestId, ...described(error) }, 'http request failed');
    return refusal(error, c);
  };
}

/** For the log, which may know more than the answer: the cause, and where an unforeseen one came from. */
function described(error: PostriderError): object {
  const { cause } = error;
  return {
    code: error.code,
    error: error.message,
    ...(cause !== undefined && { cause: messageOf(cause) }),
    ...(error.code === 'INTERNAL' && cause instanceof Error && { stack: cause.stack }),
  };
}
