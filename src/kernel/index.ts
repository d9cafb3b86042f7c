export { CONTENT_ID, CONTENT_TYPE, findFilenameProblem, MAX_FILENAME_BYTES } from './attachment-rules.js';
export { ByteBudget, type ByteHold } from './byte-budget.js';
export { ByteCollector } from './byte-collector.js';
export { type Clock, delay, ManualClock, systemClock } from './clock.js';
export { didYouMean } from './config/did-you-mean.js';
export * from './config/index.js';
export {
  hasControlCharacter,
  isStorableText,
  toStorableText,
  withoutByteOrderMark,
} from './control-characters.js';
export { Declared, declare, type Field, isDeclared } from './declare-field.js';
export {
  addressKey,
  isDisplayName,
  isEmailAddress,
  isSameAddress,
  parseMailbox,
  parseMailboxes,
  storedAddress,
} from './email-address.js';
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
export { addressHashKey, hashAddress } from './hash-address.js';
export {
  type HeaderAllowance,
  type HeaderTextOptions,
  parseHeaders,
  parseHeaderText,
} from './header-text.js';
export { findHeaderNameProblem, type HeaderValue, readHeaderValue } from './header-value.js';
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
export { isLoopbackAddress, isLoopbackHost, isPrivateAddress } from './ip-address.js';
export { checkJsonShape, MAX_JSON_DEPTH } from './json-shape.js';
export { killPoint, onKillPoint } from './kill-point.js';
export type { Lifecycle, StopOptions } from './lifecycle.js';
export { createLogger, type Logger, silentLogger } from './logger.js';
export type { Mailbox } from './mailbox.js';
export { nextTurn, Turns } from './next-turn.js';
export { newRecord, ownEntry } from './own-entry.js';
export { domainInAscii, isOfUsualLength, parseUrl } from './parse-url.js';
export { type Randomness, systemRandomness } from './randomness.js';
export {
  MAX_RATE_LIMIT,
  MAX_WINDOW_SECONDS,
  type RateLimit,
  type RateLimitState,
} from './rate-limit.js';
export { type ReadJsonOptions, readJson, readJsonInTurns, readJsonText } from './read-json.js';
export { refuseUnknownKeys } from './refuse-unknown-keys.js';
export { isRegionName, REGION_NAME, unknownRegion } from './region.js';
export { isReservedHeader, isServersHeader } from './reserved-headers.js';
export { Signal } from './signal.js';
export { inSpan, isTracing, loadTracing, type OpenSpan, readTraceparent } from './tracing.js';
export { trimEndOf } from './trim-end-of.js';
