export { findNotAllowed } from './allowed-recipients.js';
export { findMissingRecipients } from './check-recipients.js';
export {
  type Content,
  type ContentProblem,
  checkContent,
  isBlank,
  MAX_BODY_BYTES,
  MAX_SUBJECT_CHARACTERS,
} from './content-rules.js';
export { findFirstAnswer, fingerprint, forgetOldKeys, rememberAnswer } from './idempotency.js';
export { type Judged, judgeEmails } from './judge-emails.js';
export {
  boundedWait,
  decideRetry,
  findRetryPreset,
  RETRY_PRESETS,
  type RetryPreset,
  type RetryPresetName,
} from './retry-presets.js';
export { type Acceptance, type Refusal, refusalError, type Verdict } from './verdict.js';
