/**
 * What routes answer, beside emails themselves, as Zod schemas. Nothing reads with them in a running process; tests hold
 * every answer they get against them, so a field more or less is found.
 */
import { z } from 'zod';
import { anyObject, instant } from './shared-schemas.js';

const named = <T extends z.ZodType>(id: string, schema: T): T => schema.meta({ id }) as T;
const word = z.string().nullable();
const time = instant.nullable();
const count = z.int().min(0);
const counts = z.record(z.string(), count);

export const pause = named(
  'Pause',
  z.strictObject({
    ...{
      scope: z.enum(['all', 'tenant', 'type', 'route']),
      value: z.string(),
      reason: word,
      events: z.boolean().meta({ description: 'Whether webhooks, bus events and schedules are held too.' }),
      createdAt: instant,
    },
  }),
);

export const route = named(
  'Route',
  z.strictObject({
    ...{ name: z.string(), provider: word, circuit: z.enum(['closed', 'open', 'probing']) },
    ...{ opensInMs: z.int().nullable(), reason: word, ratePerSecond: z.number().nullable() },
    ...{ paused: z.boolean(), waiting: count },
    estimated: z
      .boolean()
      .meta({ description: '`waiting` is an estimate: more than 5,000 emails wait in all.' }),
  }),
);

const worker = z.strictObject({
  ...{
    id: z.int(),
    name: z.string(),
    host: z.string(),
    pid: z.int(),
    beatAgeMs: z.number(),
    alive: z.boolean(),
  },
});

export const overview = z.strictObject({
  byStatus: counts,
  estimated: z
    .boolean()
    .meta({ description: '`byStatus` holds estimates: more than 5,000 emails wait or ended in a day.' }),
  ...{ oldestWaitingSeconds: z.number().nullable(), workers: z.array(worker) },
  ...{ pauses: z.array(pause), routes: z.array(route) },
});

export const flow = z.strictObject({
  now: z.int(),
  seconds: z.array(
    z.strictObject({ at: z.int(), accepted: count, sent: count, retrying: count, failed: count }),
  ),
  queue: z.strictObject({
    depth: z.array(
      z.strictObject({
        ...{ priority: z.int(), state: z.enum(['ready', 'waiting', 'parked', 'processing']), count },
      }),
    ),
    estimated: z.boolean().meta({ description: 'Counts are estimates: more than 5,000 emails wait.' }),
    ...{ oldestDueSeconds: z.number(), workers: count },
  }),
});

export const alert = z.strictObject({
  ...{
    id: z.uuid(),
    alert: z.string(),
    subject: z.string(),
    tenant: word,
    severity: z.enum(['page', 'ticket']),
  },
  ...{ sentence: z.string(), action: z.string(), page: z.string() },
  ...{ beganAt: instant, openedAt: instant, endedAt: instant.nullable() },
});

const ended = { sent: count, failed: count };
const totals = { totalSent: count, totalFailed: count, failureRate: z.number().min(0).max(100) };

export const stats = named(
  'Stats',
  z.strictObject({ ...totals, byType: z.record(z.string(), z.strictObject(ended)) }),
);

const ms = z.number().nullable();
export const figures = z.strictObject({
  ...{ hours: z.int(), stepSeconds: z.int(), series: z.array(z.strictObject({ at: z.int(), ...ended })) },
  ...totals,
  latency: z.strictObject({ count, p50Ms: ms, p95Ms: ms, p99Ms: ms }),
  failing: z.array(z.strictObject({ type: z.string(), ...ended })),
});

export const recipient = named(
  'Recipient',
  z.strictObject({
    ...{ recipientId: z.uuid(), companyId: z.string(), externalId: word, email: z.string(), name: word },
    ...{ language: word, timeZone: word, status: z.string(), accountType: word },
    ...{ preferences: z.record(z.string(), z.boolean()), attributes: anyObject, lastCheckInAt: time },
    ...{ lastActiveAt: time, streakDays: count, reminderFrequency: word, lastReminderSentAt: time },
    ...{ createdAt: instant, updatedAt: instant },
  }),
);
export const upserted = z.strictObject({ recipientId: z.uuid(), created: z.boolean() });
export const checkIn = z.strictObject({ day: z.iso.date(), streakDays: count, counted: z.boolean() });

export const suppression = named(
  'Suppression',
  z.strictObject({
    ...{
      companyId: z.string(),
      email: word,
      reason: z.enum(['bounce', 'complaint', 'manual', 'unsubscribe']),
    },
    ...{ category: word, emailId: z.uuid().nullable(), note: word, createdAt: instant },
  }),
);
/** What would be taken in, or what was. */
export const imported = z.union([
  z.strictObject({ added: count, known: count }),
  z.strictObject({
    ...{ rows: count, accepted: count, refused: count },
    examples: z.array(z.strictObject({ row: z.int(), field: word, problem: z.string() })),
  }),
]);

export const schedule = named(
  'Schedule',
  z.strictObject({
    ...{ name: z.string(), cron: word, timeZone: z.string(), catchUp: z.string(), paused: z.boolean() },
    ...{ next: time, last: z.lazy(() => run).nullable() },
  }),
);
export const run = named(
  'Run',
  z.strictObject({
    ...{ runId: z.uuid(), schedule: z.string(), zone: z.string(), slot: instant, manual: z.boolean() },
    ...{ state: z.enum(['running', 'done', 'failed', 'expired']), total: count.nullable(), lookedAt: count },
    ...{ queued: count, skipped: counts, errorCount: count, lastError: word, startedAt: instant },
    ...{ finishedAt: time, errors: z.array(z.looseObject({ recipientId: z.string(), code: z.string() })) },
  }),
);

const broadcastRun = z.strictObject({
  ...{ state: z.enum(['running', 'done', 'failed', 'expired']), slot: instant, total: count.nullable() },
  ...{
    lookedAt: count,
    queued: count,
    skipped: counts,
    errorCount: count,
    lastError: word,
    finishedAt: time,
  },
});
export const broadcast = named(
  'Broadcast',
  z.strictObject({
    ...{ id: z.uuid(), companyId: z.string(), name: z.string(), subject: word, from: word },
    ...{ segment: z.strictObject({ id: z.string(), name: word }).nullable(), scheduledAt: time },
    createdAt: instant,
    status: z.enum(['draft', 'scheduled', 'sending', 'sent', 'failed']),
    run: broadcastRun.nullable(),
  }),
);
export const wholeBroadcast = broadcast.extend({ html: word, text: word });

const state = z.enum(['draft', 'published', 'retired']);
const ofTemplate = { companyId: z.string(), type: z.string(), lang: z.string(), version: z.int(), state };
export const templateSummary = z.strictObject({
  ...{ id: z.string(), ...ofTemplate, isActive: z.boolean(), updatedBy: z.string(), updatedAt: instant },
  publishedAt: time,
});
export const templateContent = z.strictObject({
  subject: z.string(),
  htmlContent: z.string(),
  textContent: word,
});
export const templateVersion = named(
  'TemplateVersion',
  templateSummary.extend({ ...templateContent.shape, createdAt: instant }),
);
export const templateType = z.strictObject({
  ...{ type: z.string(), portal: z.string(), category: z.string(), sensitive: z.boolean() },
  ...{ languages: z.array(z.string()), sample: z.unknown() },
});
export const preview = z.strictObject({
  ...{ subject: z.string(), html: z.string(), text: z.string(), warnings: z.array(z.string()) },
  images: z.array(
    z.looseObject({ filename: z.string(), content: z.string().meta({ contentEncoding: 'base64' }) }),
  ),
});

export const webhook = named(
  'Webhook',
  z.strictObject({
    ...{
      id: z.uuid(),
      companyId: z.string(),
      url: z.string(),
      events: z.array(z.string()),
      description: word,
    },
    ...{
      status: z.enum(['enabled', 'disabled']),
      disabledAt: time,
      disabledReason: word,
      failingSince: time,
    },
    createdAt: instant,
  }),
);
export const delivery = named(
  'Delivery',
  z.strictObject({
    ...{
      id: z.uuid(),
      endpointId: z.uuid(),
      type: z.string(),
      emailId: z.uuid().nullable(),
      attempts: count,
    },
    ...{
      status: z.enum(['pending', 'attempting', 'success', 'failed']),
      nextAttemptAt: time,
      createdAt: instant,
    },
  }),
);
const request = z.strictObject({
  ...{ id: z.string(), httpStatus: z.int().nullable(), response: word, error: word, durationMs: z.number() },
  sentAt: instant,
});
export const wholeDelivery = delivery.extend({ payload: anyObject, requests: z.array(request) });

export const tenant = named(
  'Tenant',
  z.strictObject({
    ...{ companyId: z.string(), name: word, fromDomains: z.array(z.string()).nullable(), region: word },
    ...{ contact: word, createdAt: instant, disabledAt: time },
  }),
);
export const key = named(
  'ApiKey',
  z.strictObject({
    ...{ id: z.uuid(), companyId: z.string(), name: z.string(), hint: z.string(), createdAt: instant },
    ...{ permission: z.enum(['full', 'sending']), fromDomains: z.array(z.string()).nullable() },
    ...{ lastUsedAt: time, revokedAt: time },
  }),
);
const role = z.enum(['admin', 'operator', 'viewer']);
export const signedIn = z.strictObject({ id: z.uuid(), email: z.string(), name: z.string(), role });
export const admin = named(
  'Admin',
  signedIn.extend({ createdAt: instant, lastSignInAt: time, disabledAt: time }),
);
export const session = z.strictObject({
  ...{ name: z.string(), email: word, adminId: z.uuid().nullable(), role: z.enum(['root', ...role.options]) },
  development: z.strictObject({ inbox: z.boolean(), templates: z.boolean() }),
});
export const auditEntry = named(
  'AuditEntry',
  z.strictObject({
    ...{ id: z.uuid(), at: instant, action: z.string(), target: word, companyId: word, outcome: z.string() },
    actor: z.strictObject({ kind: z.string(), id: word, name: z.string() }),
    ...{ ip: word, requestId: word, detail: anyObject },
  }),
);

export const setting = z.strictObject({
  ...{ key: z.string(), variables: z.array(z.string()), value: z.string(), default: z.string() },
  ...{ source: z.string(), differs: z.boolean(), ignored: z.array(z.string()), says: z.string() },
});

export const erased = z.strictObject({
  ...{
    emails: count,
    cancelled: count,
    redacted: count,
    recipients: count,
    idempotencyKeys: count,
    left: count,
  },
  complete: z.boolean(),
  regions: z
    .array(z.strictObject({ region: z.string(), ok: z.boolean(), code: z.string().optional() }))
    .optional(),
});
