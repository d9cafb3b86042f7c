export { cancelEmail, rescheduleEmail } from './cancel-email.js';
export { type CancelFilter, cancelMany, countCancellable } from './cancel-many.js';
export {
  type Claim,
  type Claimer,
  claimSuspects,
  claimSuspectsAndLook,
  createClaimer,
  isAnyReady,
} from './claim-batch.js';
export { type ClaimedBells, claimRung, type RungOptions } from './claim-rung.js';
export { clearLedger } from './clear-ledger.js';
export {
  type DeadLetterScope,
  discardDeadLetters,
  type RetryAnswer,
  type RetryRefusal,
  retryDeadLetters,
} from './dead-letters.js';
export { type ErasedEmails, eraseEmails } from './erase-emails.js';
export { findOwnEmails } from './find-own-emails.js';
export type { GivenUp } from './given-up.js';
export { hashContent } from './hash-content.js';
export { createLedger, type Ledger } from './ledger.js';
export { markRestored, type Restored } from './mark-restored.js';
export {
  type DeliveryMode,
  type HeaderRecipients,
  type NewEmail,
  type Priority,
  recipientsOf,
  type StoredAttachment,
} from './new-email.js';
export { findReported, noteNotification, type ReportedEmail } from './note-notification.js';
export { findAddressee, noteUnsubscribed } from './note-unsubscribed.js';
export { type OpenedEmail, type OpenOptions, openClaims, type StoredMessage } from './open-claims.js';
export {
  agreeingTimes,
  CANCEL_FILTER,
  DEAD_LETTER_FIELDS,
  DEAD_LETTER_FILTER,
  EMAIL_FILTER,
  EMAIL_FILTER_FIELDS,
  MESSAGE_PAGE_FIELDS,
  PAGE_FIELDS,
  PAUSE_SCOPES,
  PERSON,
  pausedInQuery,
  type ReadEmailFilter,
  STATS_FILTER,
  USER_PAGE_FIELDS,
  whatIsPaused,
  whichDeadLetters,
  whichMessages,
} from './operator-inputs.js';
export {
  createHoldReader,
  createPauseReader,
  listPauses,
  type Pause,
  type PauseScope,
  type Pauses,
  pauseSending,
  resumeSending,
} from './pauses.js';
export { type Pruned, prune, type Retention } from './prune.js';
export { createPruner } from './pruner.js';
export { type JobData, readJobData } from './read-job-data.js';
export { type ClaimRef, endClaims, type Hold, parkClaims, releaseClaims } from './release-claims.js';
export {
  type BellRef,
  countOutstanding,
  createRinger,
  findUnknown,
  forgetBells,
  type OutstandingBells,
  type Ringer,
  type RungEmail,
  takeBackBells,
} from './ring-bells.js';
export { createRouteNames } from './route-names.js';
export { createRouteRates } from './route-rates.js';
export { createRouteStates, type RouteState } from './route-states.js';
export { findSettled, type Settlement, settleAttempts } from './settle-attempts.js';
export { createSweeper } from './sweeper.js';
export { figuresOf, hasHeld, type TakeOver, takeOverWorker } from './take-over.js';
export { createTallier } from './tallier.js';
export { forgetOldTallies, tallyEnds } from './tally-ends.js';
export {
  EMAIL_STATUSES,
  type EmailStatus,
  type EventType,
  findIllegalEvent,
  TRANSITIONS,
} from './transition-table.js';
export { findEarlierWorkers, WorkerWatch } from './watch-workers.js';
export { type Person, personOf } from './without-person.js';
export { takeLease, type WorkerLease } from './worker-lease.js';
export { prepareEmails } from './write-emails.js';
