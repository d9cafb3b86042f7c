import { isEmailAddress, isUuid, messageOf, parseHeaders } from '../kernel/index.js';
import { hashContent, type OpenedEmail } from '../outbox/index.js';
import { checkContent, findNotAllowed, findRetryPreset } from '../policy/index.js';

/**
 * The four validations of the pipeline, in order. Content that passed intake is compared by hash;
 * content that came by SQL is checked in full here.
 */
export interface ValidationFailure {
  type: 'INTEGRITY' | 'OUTBOX' | 'RECIPIENT' | 'TEMPLATE';
  code:
    | 'INVALID_PAYLOAD'
    | 'OUTBOX_NOT_FOUND'
    | 'RECIPIENT_NOT_FOUND'
    | 'RECIPIENT_NOT_ALLOWED'
    | 'INVALID_EMAIL'
    | 'INVALID_TEMPLATE';
  message: string;
}

export function validateEmail(
  email: OpenedEmail,
  known: { recipientMissing: boolean; allowedDomains: readonly string[] | null },
): ValidationFailure | null {
  return checkOutbox(email) ?? checkIntegrity(email) ?? checkRecipient(email, known) ?? checkTemplate(email);
}

function checkOutbox(email: OpenedEmail): ValidationFailure | null {
  if (email.found) return null;
  return { type: 'OUTBOX', code: 'OUTBOX_NOT_FOUND', message: 'the queue row has no email behind it' };
}

function checkIntegrity(email: OpenedEmail): ValidationFailure | null {
  const fail = (message: string): ValidationFailure => ({
    type: 'INTEGRITY',
    code: 'INVALID_PAYLOAD',
    message,
  });
  const { message } = email;
  if (!isUuid(email.id) || email.tenant === '') return fail('id or company is missing');
  if (!findRetryPreset(email.retry))
    return fail(`there is no retry preset named ${email.retry.slice(0, 40)}`);
  if (!Array.isArray(message.to) || message.to.length === 0) return fail('there is no recipient');
  if (message.to[0]?.address !== email.to) return fail('the address of the message is not the one accepted');
  const problem = findHeaderProblem(message.headers);
  return problem === null ? null : fail(problem);
}

/** The rules are intake's: SQL is no way round them. */
function findHeaderProblem(headers: unknown): string | null {
  try {
    parseHeaders(headers, 'headers');
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function checkRecipient(
  email: OpenedEmail,
  known: { recipientMissing: boolean; allowedDomains: readonly string[] | null },
): ValidationFailure | null {
  const { to, cc = [], bcc = [], from, replyTo = [] } = email.message;
  for (const mailbox of [...to, ...cc, ...bcc, ...replyTo, ...(from ? [from] : [])]) {
    if (!isEmailAddress(mailbox.address)) {
      return { type: 'RECIPIENT', code: 'INVALID_EMAIL', message: 'an address is not a valid email address' };
    }
  }
  const recipients = [...to, ...cc, ...bcc].map((mailbox) => mailbox.address);
  if (findNotAllowed(recipients, known.allowedDomains) !== null) {
    const message = 'a recipient is outside the domains that may be written to';
    return { type: 'RECIPIENT', code: 'RECIPIENT_NOT_ALLOWED', message };
  }
  if (!known.recipientMissing) return null;
  return {
    type: 'RECIPIENT',
    code: 'RECIPIENT_NOT_FOUND',
    message: 'the recipient does not exist, was deleted, or has another company or address',
  };
}

function checkTemplate(email: OpenedEmail): ValidationFailure | null {
  const fail = (message: string): ValidationFailure => ({
    type: 'TEMPLATE',
    code: 'INVALID_TEMPLATE',
    message,
  });
  if (!email.body) return fail('there is no content');
  const content = { subject: email.subject, html: email.body.html, text: email.body.text };
  if (email.contentHash !== null) {
    return hashContent(content) === email.contentHash ? null : fail('the content is not the one accepted');
  }
  const problem = checkContent(content);
  return problem ? fail(problem.message) : null;
}
