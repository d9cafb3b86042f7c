/**
 * Every error a caller can meet. `docs/ERRORS.md` says the same and a test compares them.
 */
export interface ErrorRow {
  status: number;
  retryable: boolean;
  help: string;
  /**
   * The message says what to do and nothing of the inside, so it is answered although the status says it is our fault.
   * Without it the help alone is answered and has to stand by itself.
   */
  isShown?: true;
}

export const ERROR_TABLE = {
  INVALID_PAYLOAD: { status: 400, retryable: false, help: 'Correct the named field and send again.' },
  INVALID_JSON: { status: 400, retryable: false, help: 'Send one JSON object encoded as UTF-8.' },
  INVALID_EMAIL: {
    status: 400,
    retryable: false,
    help: 'Use one address of the form name@domain, without control characters.',
  },
  INVALID_HEADER: {
    status: 400,
    retryable: false,
    help: 'Header names are letters, digits and hyphens; values hold no control characters and no word over 900 characters, and what programs read is ASCII.',
  },
  INVALID_MESSAGE: {
    status: 422,
    retryable: false,
    help: 'Send lines that end in CRLF, one From, each header once, and nothing signed or encrypted as a whole.',
  },
  INVALID_TEMPLATE: {
    status: 422,
    retryable: false,
    help: 'Correct what is named. HTML stays within 512 KB and the subject within 150 characters, without script, javascript: or event handlers.',
  },
  INVALID_CONFIG: {
    status: 500,
    retryable: false,
    help: 'Run `postrider config check` to see every problem at once; what shows only in use is in the message, or in the log line with this requestId.',
  },
  NOT_CONFIGURED: {
    status: 500,
    retryable: false,
    help: 'Set what the message names for every process, and start them again; docs/CONFIGURATION.md has each setting.',
    isShown: true,
  },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, retryable: false, help: 'Send Content-Type: application/json.' },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    retryable: false,
    help: 'Send a smaller body; large files belong behind a link.',
  },
  UNAUTHORIZED: { status: 401, retryable: false, help: 'Send the key as Authorization: Bearer <key>.' },
  FORBIDDEN: { status: 403, retryable: false, help: 'This origin or key may not do that.' },
  COMPANY_NOT_ALLOWED: {
    status: 403,
    retryable: false,
    help: "Leave companyId out, or use that company's own key.",
  },
  TENANT_DISABLED: { status: 403, retryable: false, help: 'Ask an operator to enable the tenant.' },
  SENDER_NOT_ALLOWED: {
    status: 403,
    retryable: false,
    help: 'Send from a domain this tenant and key are allowed, or add the domain to them.',
  },
  TENANT_NOT_FOUND: {
    status: 404,
    retryable: false,
    help: 'Create it: `postrider tenants create <companyId>`.',
  },
  TENANT_EXISTS: { status: 409, retryable: false, help: 'Change it, or choose another companyId.' },
  KEY_NOT_FOUND: { status: 404, retryable: false, help: '`postrider keys list` shows the ids.' },
  ADMIN_NOT_FOUND: { status: 404, retryable: false, help: '`postrider admin list` shows the accounts.' },
  ADMIN_EXISTS: {
    status: 409,
    retryable: false,
    help: 'Change the account there is, or use another address.',
  },
  LAST_ADMIN: { status: 409, retryable: false, help: 'Make another account an admin first.' },
  SIGN_IN_FAILED: { status: 401, retryable: false, help: 'Check the address and the password.' },
  CODE_WRONG: {
    status: 401,
    retryable: false,
    help: 'A code holds ten minutes and five tries; begin again for a new one.',
  },
  SIGN_IN_NOT_BEGUN: { status: 401, retryable: false, help: 'Sign in with the password first.' },
  SECRET_UNREADABLE: {
    status: 500,
    retryable: false,
    help: 'Keep the key it was sealed with in POSTRIDER_SECRET_KEYS until `postrider keys rotate` has run.',
  },
  TOO_MANY_TRIES: { status: 429, retryable: true, help: 'Wait as long as Retry-After says.' },
  NOT_FOUND: { status: 404, retryable: false, help: 'Check the path and the id.' },
  METHOD_NOT_ALLOWED: { status: 405, retryable: false, help: 'Use one of the methods in the Allow header.' },
  CONTENT_GONE: {
    status: 410,
    retryable: false,
    help: 'Content is kept for a limited time; the log of the email is kept longer.',
  },
  EMAIL_NOT_FOUND: {
    status: 404,
    retryable: false,
    help: 'Check the id; old emails are removed by retention.',
  },
  RECIPIENT_NOT_FOUND: {
    status: 422,
    retryable: false,
    help: 'Create the recipient first, or leave recipientId out.',
  },
  RECIPIENT_NOT_ALLOWED: {
    status: 403,
    retryable: false,
    help: 'Write to a domain in POSTRIDER_ALLOWED_RECIPIENT_DOMAINS, or add this one to it.',
  },
  SUPPRESSED: {
    status: 409,
    retryable: false,
    help: 'The person refuses this kind of email or cannot get it; `postrider suppressions list <email>` says why.',
  },
  OUTBOX_NOT_FOUND: { status: 404, retryable: false, help: 'The email is not in the outbox of this tenant.' },
  EMAIL_NOT_CANCELLABLE: {
    status: 409,
    retryable: false,
    help: 'An email can be cancelled or rescheduled until its attempt has begun.',
  },
  DEAD_LETTER_NOT_RETRYABLE: {
    status: 409,
    retryable: false,
    help: 'Only an email that ended in failed or unknown, whose content is kept and whose time has not passed, can be tried again; it may have been already.',
  },
  DUPLICATE_POSSIBLE: {
    status: 409,
    retryable: false,
    help: 'The email may have been delivered; say acceptDuplicates: true to try it all the same.',
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    retryable: false,
    help: 'Use a new Idempotency-Key for another body.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    retryable: true,
    help: 'The same key is being accepted at this moment; ask again shortly.',
  },
  RATE_LIMITED: {
    status: 429,
    retryable: true,
    help: 'Send again after the reset, or raise the limit of this type.',
  },
  QUOTA_EXCEEDED: {
    status: 429,
    retryable: true,
    help: 'Send again in the next period, or raise the quota of this company.',
  },
  UNKNOWN_TYPE: { status: 400, retryable: false, help: 'Send html or text along, or declare the type.' },
  SCHEDULE_NOT_FOUND: {
    status: 404,
    retryable: false,
    help: 'Look at `postrider schedules list`; one of an application is known once a process that has it has run.',
  },
  WEBHOOK_NOT_FOUND: { status: 404, retryable: false, help: '`postrider webhooks list` shows the ids.' },
  WEBHOOK_DELIVERY_NOT_FOUND: {
    status: 404,
    retryable: false,
    help: '`postrider webhooks deliveries <id>` shows the ids; old ones are removed by retention.',
  },
  NOTIFICATION_UNVERIFIED: {
    status: 401,
    retryable: false,
    help: 'Check the secret or the topics this server takes notifications from.',
  },
  NOTIFICATION_TOO_EARLY: {
    status: 503,
    retryable: true,
    help: 'The email it is about is not known yet; the sender delivers the notification again.',
  },
  BUS_UNAVAILABLE: {
    status: 503,
    retryable: true,
    help: 'Check that RabbitMQ runs and can be reached; publish again with the same id, since the event may have arrived.',
  },
  BUS_TOPOLOGY_DIFFERS: {
    status: 500,
    retryable: false,
    help: 'Use the settings the queue was made with, or drain and delete it; it is made anew at the next start.',
  },
  BUS_NOT_FOUND: {
    status: 404,
    retryable: false,
    help: 'Postrider takes part in an event bus only where POSTRIDER_BUS_URL is set.',
  },
  MESSAGE_NOT_MOVABLE: {
    status: 409,
    retryable: false,
    help: 'The broker refuses this message for what it is, such as a size above its limit; raise the limit there, or remove the message.',
  },
  BUS_QUEUE_NOT_FOUND: {
    status: 404,
    retryable: false,
    help: 'Check the service name; its queues are made when it first starts with a handler.',
  },
  SCHEDULE_PAUSED: { status: 409, retryable: false, help: 'Resume the schedule first.' },
  STORE_UNAVAILABLE: {
    status: 503,
    retryable: true,
    help: 'Check that the database runs and can be reached; try again with the same Idempotency-Key, since a call that was cut off may have taken effect.',
  },
  TOO_MANY_LARGE_BODIES: {
    status: 503,
    retryable: true,
    help: 'Wait as long as Retry-After says, and send fewer large requests at once.',
    isShown: true,
  },
  TOO_MANY_CONNECTIONS: {
    status: 503,
    retryable: true,
    help: 'Keep connections and use them again, or raise POSTRIDER_HTTP_MAX_CONNECTIONS.',
    isShown: true,
  },
  BODY_TOO_SLOW: {
    status: 408,
    retryable: true,
    help: 'Send the body without pauses.',
  },
  UNKNOWN_REGION: {
    status: 400,
    retryable: false,
    help: 'Name a region this process serves (POSTRIDER_REGIONS), or leave it out.',
  },
  REGION_MISMATCH: {
    status: 500,
    retryable: false,
    help: 'Check which database each region of POSTRIDER_REGIONS names, and on which one the transaction is.',
  },
  STORE_REFUSED: {
    status: 500,
    retryable: false,
    help: "Check the database, the role and the password in DATABASE_URL, and the role's grants.",
  },
  STORE_STATEMENT_LOST: {
    status: 503,
    retryable: true,
    help: 'Set POSTRIDER_DATABASE_PREPARE=false, or let the pooler keep prepared statements (PgBouncer 1.21 and later: max_prepared_statements).',
  },
  STORE_BUSY: {
    status: 503,
    retryable: true,
    help: 'Another transaction stood in the way, or a time limit of the database passed. Roll back a transaction of yours, and run it again.',
  },
  STORE_FAILED: {
    status: 500,
    retryable: false,
    help: "The error's cause is what the database said, with its SQLSTATE; `postrider doctor` checks the schema and the grants.",
  },
  STORE_UNSUITABLE: {
    status: 500,
    retryable: false,
    help: 'Use PostgreSQL 14 or later, or PGlite.',
  },
  STORE_NESTED_CALL: {
    status: 500,
    retryable: false,
    help: 'Pass { tx } to calls made inside a transaction on the embedded store.',
  },
  TRANSACTION_ENDED: {
    status: 500,
    retryable: false,
    help: 'Await every call with { tx } before its transaction ends, and use a new one afterwards.',
  },
  TRANSACTION_ABORTED: {
    status: 500,
    retryable: false,
    help: 'Roll back: PostgreSQL takes no statement after one that failed. Find that one, which an earlier catch may hide.',
  },
  STORE_LOCKED: {
    status: 500,
    retryable: false,
    help: 'Another process or container uses this data folder; stop it, set POSTRIDER_DATA_DIR, or use PostgreSQL, which any number of processes share.',
  },
  WORKERS_RUNNING: {
    status: 409,
    retryable: false,
    help: 'Stop every process on this store, wait ten seconds, and run it again.',
  },
  STORE_UNREADABLE: {
    status: 500,
    retryable: false,
    help: 'Restore the data folder from a copy. Without one, move it away and start again with an empty store; what waited in it is in no other place.',
  },
  STORE_TOO_NEW: {
    status: 500,
    retryable: false,
    help: 'Upgrade this process; the schema is newer than it understands.',
  },
  MIGRATION_BLOCKED: {
    status: 503,
    retryable: true,
    help: 'Run `postrider migrate`: it prints which session holds a table. End that transaction, or wait until it has ended; the steps that were applied stay.',
  },
  STORE_NOT_MIGRATED: {
    status: 500,
    retryable: false,
    help: 'Run `postrider migrate`, with a role that may create the schema.',
  },
  UNSUPPORTED_TRANSACTION: {
    status: 500,
    retryable: false,
    help: 'Pass an open transaction: of pg after begin and before commit, of postgres.js, PGlite, Drizzle, Kysely, Prisma, Knex or TypeORM, or any object with query(text, values) inside one.',
  },
  BROKER_UNSUITABLE: {
    status: 500,
    retryable: false,
    help: 'The message, or the log line with this requestId, says what to put right; docs/ENGINES.md what each broker must allow.',
  },
  BROKER_NOT_FOUND: {
    status: 404,
    retryable: false,
    help: 'There is a broker only with the engine rabbitmq: set RABBITMQ_URL.',
  },
  BROKER_UNAVAILABLE: {
    status: 503,
    retryable: true,
    help: 'Look whether the broker runs and RABBITMQ_URL names it; emails are safe in the store meanwhile.',
  },
  START_FAILED: {
    status: 500,
    retryable: false,
    help: 'Put right what the cause says and start again; where it names nothing of yours, report it.',
  },
  STOPPED: { status: 503, retryable: true, help: 'This process is shutting down; try another.' },
  INTERNAL: { status: 500, retryable: true, help: 'Look at the log line with this requestId.' },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERROR_TABLE;
