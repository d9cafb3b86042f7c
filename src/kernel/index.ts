export { type Clock, delay, ManualClock, systemClock } from './clock.js';
export { didYouMean } from './config/did-you-mean.js';
export * from './config/index.js';
export { hasControlCharacter, isStorableText, toStorableText } from './control-characters.js';
export { Declared, declare, type Field, isDeclared } from './declare-field.js';
export { isEmailAddress, isSameAddress, parseMailbox, parseMailboxes } from './email-address.js';
export { ERROR_TABLE, type ErrorCode } from './error-table.js';
export { isPostriderError, messageOf, PostriderError } from './errors.js';
export { field } from './field-kinds.js';
export {
  type FieldSet,
  fields,
  needed,
  type ObjectField,
  oneOf,
  orNull,
  type ReadOf,
} from './field-objects.js';
export { type HeaderTextOptions, parseHeaders, parseHeaderText } from './header-text.js';
export { isUuid, newId } from './ids.js';
export { inRounds, type Rounds } from './in-rounds.js';
export {
  type Fields,
  invalidPayload,
  parseChoice,
  parseLine,
  parsePattern,
  parseString,
  pathTo,
  readFields,
} from './input-fields.js';
export { type JsonLimits, parseJsonObject } from './input-json.js';
export { parseInstant, parseMoment } from './instant.js';
export { killPoint, onKillPoint } from './kill-point.js';
export type { Lifecycle, StopOptions } from './lifecycle.js';
export { createLogger, type Logger, silentLogger } from './logger.js';
export type { Mailbox } from './mailbox.js';
export { type Randomness, systemRandomness } from './randomness.js';
export {
  MAX_RATE_LIMIT,
  MAX_WINDOW_SECONDS,
  type RateLimit,
  type RateLimitState,
} from './rate-limit.js';
export { refuseUnknownKeys } from './refuse-unknown-keys.js';
export { isRegionName, REGION_NAME, unknownRegion } from './region.js';
export { Signal } from './signal.js';
export { inSpan, isTracing, loadTracing, type OpenSpan, readTraceparent } from './tracing.js';
