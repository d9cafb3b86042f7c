import { contentRefusal, parseEmailDraft } from '../../../src/intake/email-draft.js';
import { isPostriderError, type PostriderError } from '../../../src/kernel/index.js';
import { hashContent } from '../../../src/outbox/hash-content.js';
import type { NewEmail, OpenedEmail } from '../../../src/outbox/index.js';
import { attachmentsJson, messageJson } from '../../../src/outbox/written-form.js';
import { openedEmail } from '../../../src/pipeline/opened-email.fixture.js';
import { outgoingEmail } from '../../../src/pipeline/outgoing-email.js';
import { validateEmail } from '../../../src/pipeline/validate-email.js';
import type { ContentProblem } from '../../../src/policy/index.js';
import type { OutgoingEmail } from '../../../src/providers/index.js';

/**
 * The way of an email from an input to a provider, without a store: what intake refuses is returned as the error it is,
 * what it takes as the provider would get it. Throws where the pipeline refuses what intake took.
 */
export async function throughIntake(input: object): Promise<OutgoingEmail | PostriderError> {
  let draft: ReturnType<typeof parseEmailDraft>;
  const judgements: Array<Promise<ContentProblem | null>> = [];
  try {
    draft = parseEmailDraft(input, Date.UTC(2026, 0, 2), { later: (judging) => judgements.push(judging) });
    for (const problem of await Promise.all(judgements)) if (problem) return contentRefusal(problem);
  } catch (error) {
    if (isPostriderError(error)) return error;
    throw error;
  }
  const email = { ...draft, essential: false, traceparent: null } as unknown as NewEmail;
  const opened = asStored(email);
  const failure = await validateEmail(opened, { recipientMissing: false, allowedDomains: null });
  if (failure) throw new Error(`accepted, and then ${failure.code}: ${failure.message}`);
  return outgoingEmail(opened, opened.message.from ?? { address: 'default@example.com' });
}

function asStored(email: NewEmail): OpenedEmail {
  return openedEmail({
    subject: email.subject,
    to: email.to[0]!.address,
    message: JSON.parse(messageJson(email)),
    body: {
      html: email.html,
      text: email.text,
      attachments: JSON.parse(attachmentsJson(email)?.join('') ?? '[]'),
    },
    contentHash: hashContent(email),
  });
}
