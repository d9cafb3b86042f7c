import { z } from 'zod';
import type { OutgoingBell } from '../../bell-broker.js';

/** The contract of a job: what it says of its email, checked when it is made and again when it comes. */
export const QUEUE_NAME = 'email-send';
export const JOB_NAME = 'email:send';

const emailJob = z
  .strictObject({
    outboxId: z.uuid(),
    companyId: z.string().min(1).max(200),
    requestId: z.string().min(1).max(200),
    to: z.email().max(254),
    subject: z.string().max(150),
    recipient: z
      .strictObject({
        recipientId: z.string().min(1).optional(),
        externalId: z.string().min(1).optional(),
        email: z.email(),
      })
      .refine((recipient) => recipient.recipientId ?? recipient.externalId, 'names no id')
      .optional(),
    /** The attempt to be made, from 1. */
    attempt: z.int().min(1),
    priority: z.int().min(1).max(4),
  })
  .refine((job) => !job.recipient || job.recipient.email === job.to, {
    message: 'is not the address of to',
    path: ['recipient', 'email'],
  });

export type EmailJob = z.infer<typeof emailJob>;

export type ReadJob = { ok: true; job: EmailJob } | { ok: false; field: string; reason: string };

/** A job of another name or id than its email's is not one of ours. Names the field, never its value. */
export function readEmailJob(job: { id?: string; name: string; data: unknown }): ReadJob {
  if (job.name !== JOB_NAME) return { ok: false, field: 'name', reason: `is not ${JOB_NAME}` };
  const parsed = emailJob.safeParse(job.data);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    return { ok: false, field: fieldOf(issue), reason: issue.code };
  }
  if (job.id !== parsed.data.outboxId)
    return { ok: false, field: 'outboxId', reason: 'is not the id of the job' };
  return { ok: true, job: parsed.data };
}

/** A key that is too much is named where it is a plain word: others may hold an address. */
function fieldOf(issue: z.core.$ZodIssue): string {
  const path = issue.path.join('.');
  if (path !== '' || issue.code !== 'unrecognized_keys') return path || 'data';
  const [key = ''] = issue.keys;
  return /^[\w-]{1,64}$/.test(key) ? key : 'data';
}

/** null where the email does not fit the contract. */
export function makeEmailJob(bell: OutgoingBell): EmailJob | null {
  if (!bell.data) return null;
  const { recipient, ...data } = bell.data;
  const parsed = emailJob.safeParse({
    ...{ outboxId: bell.id, companyId: bell.tenant, ...data, ...(recipient && { recipient }) },
    ...{ attempt: bell.attempt + 1, priority: bell.priority },
  });
  return parsed.success ? parsed.data : null;
}
