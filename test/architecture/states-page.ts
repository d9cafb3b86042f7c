import type { EmailStatus, EventType, TRANSITIONS } from '../../src/outbox/index.js';

/**
 * What docs/STATES.md says, from the transition table. The sentences about statuses and the metadata of events live
 * here; a status or event without them does not compile.
 */
export function statesPage(table: Table, statuses: readonly EmailStatus[]): string {
  const events = Object.entries(table) as Array<[EventType, Row]>;
  return `# States

An email has one status at a time. Every change is an event in its journal, numbered from 1 without gaps; nothing is
ever updated or removed from the journal but by retention. The status is not stored: it is read from the queue row,
the attempts and the facts by the view \`postrider.email_logs\`.

\`\`\`mermaid
stateDiagram-v2
${diagram(events).join('\n')}
\`\`\`

A status is what can be read at one moment: between two attempts an email that was attempted before reads \`retry\`,
also when it was rescheduled. One that was given back reads as it did before, \`pending\` or \`retry\`, also while it
waits for a rate or a circuit or is parked by a pause; \`next_attempt_at\` and \`parked\` of the view tell.

## Statuses

| status | ended | means |
|---|---|---|
${statuses.map((status) => `| \`${status}\` | ${hasEnded(status, events) ? 'yes' : 'no'} | ${STATUS_MEANS[status]} |`).join('\n')}

## Events

\`=\` leaves the status as it is; – is an email that does not exist yet.

| event | happens in | leads to | says | metadata |
|---|---|---|---|---|
${events.map(([type, row]) => `| \`${type}\` | ${list(row.from)} | ${list(row.to)} | ${row.says} | ${metadata(type)} |`).join('\n')}

Metadata that does not apply is absent. \`conversation\` holds the commands and replies of a failed attempt, without
the message and with credentials masked; \`failover\` the routes that failed before the last one in the same attempt.
Events with no metadata here have their place in the table and are not written yet.

## What an attempt can end in

| the provider says | events | the email is then |
|---|---|---|
| sent | \`SENT\` | \`sent\` |
| sent, but some recipients for now not | \`RETRY_SCHEDULED\` | \`retry\`, for those recipients only |
| deferred, attempts left | \`RETRY_SCHEDULED\` | \`retry\` |
| deferred, no attempt left | \`FAILED\` | \`failed\`, \`failureType\` \`MAX_RETRIES_EXCEEDED\` |
| deferred for a reason of ours (stopping, lease lost, the mark as begun not written, no free connection) | \`RELEASED\` | as before; costs no attempt |
| deferred by nothing any table lists, preset \`broker\` | \`FAILED\` | \`failed\`, \`failureType\` \`UNKNOWN_ERROR\` |
| rejected | \`FAILED\` | \`failed\` |
| unknown, its provider recognises a repeat, attempts left | \`OUTCOME_UNKNOWN\` \`RETRY_SCHEDULED\` | \`retry\` by that route alone, also \`at-most-once\`, and no duplicate |
| anything but sent after that, \`at-most-once\`, no attempt left | \`OUTCOME_UNKNOWN\` | \`unknown\` |
| unknown, \`at-least-once\`, attempts left | \`OUTCOME_UNKNOWN\` \`RETRY_SCHEDULED\` | \`retry\`, marked as a possible duplicate |
| unknown, \`at-most-once\` or no attempt left | \`OUTCOME_UNKNOWN\` | \`unknown\` |
| misconfigured, no other route | \`RELEASED\` | as before, and the route is paused |
| misconfigured, no other route, \`onAccountFailure: fail\` | \`FAILED\` | \`failed\` |
| all routes paused, their circuits open, or a rate used up | \`RELEASED\` | as before; costs no attempt |

Where it is certain that nothing was delivered and the fault is the route's, the next route that serves the email is
tried in the same attempt, and the last word counts ([ROUTES](ROUTES.md)).

A validation that does not pass is \`RECEIVED VALIDATION_FAILED FAILED\`. A worker that dies leaves \`RELEASED\` where
the attempt had not begun, with \`suspect\` where the content had been opened, and \`RECEIVED OUTCOME_UNKNOWN …\` where it
had begun; \`src/outbox/take-over.ts\` decides. An attempt begins with its connection, before the first byte;
an email that finds an idle connection is marked when it is opened
([decision 0017](decisions/0017-opened-and-begun.md)). An email that never had one and kills its workers ends with
\`RECEIVED FAILED\`.

## How far an SMTP attempt came

\`stage\` in the metadata: \`connect greeting ehlo starttls auth mail rcpt data body dot reply\`. Up to \`body\` nothing
can have been delivered; at \`dot\` the last byte was out and no answer came; at \`reply\` the answer was read.

This page is compared with \`src/outbox/transition-table.ts\` by \`test/architecture/states-page.test.ts\`; after a change,
\`npx vitest run --project unit test/architecture/states-page.test.ts -u\` writes it again.
`;
}

type Table = { readonly [Type in keyof typeof TRANSITIONS]: Row };

interface Row {
  from: ReadonlyArray<EmailStatus | null>;
  to: ReadonlyArray<EmailStatus | 'same'>;
  says: string;
}

const STATUS_MEANS = {
  scheduled: 'waits for a moment that was asked for',
  pending: 'can be taken by a worker, unless a rate, a circuit or a pause makes it wait',
  processing: 'is in the hands of a worker',
  sent: 'a provider has taken responsibility for it',
  retry: 'was attempted and waits for its next attempt',
  failed: 'will not be tried again; the journal says why',
  cancelled: 'was taken back before an attempt began',
  suppressed: 'its address must not be written to',
  expired: '`expiresAt` passed before it could be sent',
  unknown: 'may have been delivered, and must not be or cannot be tried again by itself; a person decides',
} satisfies Record<EmailStatus, string>;

const FAILURE = ['attempt', 'errorCode', 'errorCategory', 'errorMessage', 'willRetry'];
const SEEN = ['stage', 'scope', 'originalCode', 'response', 'conversation'];

/** The keys each event may carry; test/journey compares them with real journals. */
export const EVENT_METADATA: Readonly<Record<EventType, readonly string[]>> = {
  ENQUEUED: ['priority', 'type', 'scheduledAt', 'requestId'],
  RECEIVED: ['attempt', 'worker'],
  VALIDATED: ['attempt', 'validations'],
  VALIDATION_FAILED: [...FAILURE, 'validation'],
  SENT_ATTEMPT: ['attempt', 'provider', 'route', 'possibleDuplicate'],
  SENT: [
    'attempt',
    'messageId',
    'provider',
    'durationMs',
    'response',
    'refused',
    'possibleDuplicate',
    'failover',
  ],
  RETRY_SCHEDULED: [
    ...FAILURE,
    'nextAttemptNumber',
    'nextAttemptAt',
    'backoffDelay',
    ...SEEN,
    'remaining',
    'refused',
    'possibleDuplicate',
    'crashes',
    'failover',
  ],
  FAILED: [
    ...FAILURE,
    'failureType',
    'validation',
    ...SEEN,
    'remaining',
    'refused',
    'possibleDuplicate',
    'crashes',
    'failover',
  ],
  OUTCOME_UNKNOWN: [...FAILURE, ...SEEN, 'possibleDuplicate', 'crashes', 'failover'],
  RELEASED: ['why', 'worker', 'suspect', 'crashes'],
  RESCHEDULED: ['scheduledAt'],
  CANCELLED: ['by'],
  SUPPRESSED: [],
  EXPIRED: ['expiresAt'],
  REQUEUED: ['by', 'afterAttempt', 'from', 'possibleDuplicate'],
  DISCARDED: ['by', 'reason', 'afterAttempt'],
  DELIVERED: [],
  DELAYED: [],
  BOUNCED: [],
  COMPLAINED: [],
  OPENED: [],
  CLICKED: [],
  UNSUBSCRIBED: [],
};

function diagram(events: Array<[EventType, Row]>): string[] {
  const lines: string[] = [];
  for (const [type, { from, to }] of events)
    for (const start of from)
      for (const end of to) if (end !== 'same') lines.push(`  ${start ?? '[*]'} --> ${end}: ${type}`);
  return lines;
}

/** Only a person or a provider's report can still reach it. */
function hasEnded(status: EmailStatus, events: Array<[EventType, Row]>): boolean {
  return events.every(([type, { from, to }]) => {
    const leaves = from.includes(status) && to.some((end) => end !== 'same');
    return !leaves || type === 'REQUEUED' || status === 'unknown';
  });
}

function list(statuses: ReadonlyArray<EmailStatus | 'same' | null>): string {
  return statuses
    .map((status) => (status === null ? '–' : status === 'same' ? '=' : `\`${status}\``))
    .join(' ');
}

function metadata(type: EventType): string {
  return EVENT_METADATA[type].map((key) => `\`${key}\``).join(' ');
}
