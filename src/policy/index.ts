export { findNotAllowed } from './allowed-recipients.js';
export { findMissingRecipients } from './check-recipients.js';
export { clearCounts } from './clear-counts.js';
export {
  type Content,
  type ContentJudgement,
  type ContentProblem,
  checkContent,
  isBlank,
  MAX_BODY_BYTES,
  MAX_SUBJECT_CHARACTERS,
} from './content-rules.js';
export type { Pace } from './count-rate-limits.js';
export { type CountedPerson, forgetRecipient } from './forget-recipient.js';
export { hashUser } from './hash-user.js';
export { findFirstAnswer, fingerprint, forgetKeysOf, forgetOldKeys, rememberAnswer } from './idempotency.js';
export { type Judged, judgeEmails } from './judge-emails.js';
export {
  COUNTED_BY,
  LIMIT_KEY_FIELDS,
  QUOTA_AMOUNT,
  QUOTA_PAGE_FIELDS,
  RATE_LIMIT_CHANGE,
} from './limit-inputs.js';
export {
  createQuotas,
  forgetIdleShares,
  type QuotaChange,
  type QuotaEntry,
  type QuotaListOptions,
  type QuotaPage,
  type QuotaPeriod,
  type Quotas,
} from './quotas.js';
export {
  type CountedBy,
  createRateLimits,
  forgetOldSlots,
  type RateLimitChange,
  type RateLimitCheck,
  type RateLimitEntry,
  type RateLimits,
} from './rate-limits.js';
export {
  boundedWait,
  decideRetry,
  findRetryPreset,
  RETRY_PRESETS,
  type RetryPreset,
  type RetryPresetName,
} from './retry-presets.js';
export { createRulesReader, type Rules, type RulesReader } from './rules.js';
export { type Acceptance, type Refusal, refusalError, type Verdict } from './verdict.js';
