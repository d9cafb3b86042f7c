/**
 * Where providers and mail servers report: SES by SNS and Resend by their signatures, mail reports with a key. What
 * comes twice counts once. A report about an email that is not known yet is refused for now while the report is young,
 * because the sender tries again; later it is taken and forgotten.
 */
import { Hono } from 'hono';
import { companyOf } from '../../access/index.js';
import { PostriderError, readJson } from '../../kernel/index.js';
import {
  type Notification,
  readMailReport,
  readResendEvent,
  readSesEvent,
  refuseUnsigned,
} from '../hooks/index.js';
import type { HookRoom } from './hook-room.js';
import { bodyOf, readBytes } from './read-body.js';
import type { HttpEnv } from './request-context.js';

export function hookRoutes(room: HookRoom): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  async function take(notification: Notification | null): Promise<object> {
    if (notification === null) return { result: 'ignored' };
    const result = await room.record(notification);
    const ageMs = room.now().getTime() - notification.at.getTime();
    // It may overtake the result of the very attempt it is about.
    if (result === 'unknown' && ageMs < YOUNG_MS)
      throw new PostriderError('NOTIFICATION_TOO_EARLY', 'The email is not known yet.');
    return { result };
  }

  routes.post('/hooks/ses', async (c) => {
    if (!room.sns) throw new PostriderError('NOT_FOUND', 'No SNS topic is configured.');
    room.sns.refuseForeign(c.req.header('x-amz-sns-topic-arn'));
    const input = readJson(await readBytes(bodyOf(c)));
    const message = await room.sns.verify(input);
    if (message.Type === 'SubscriptionConfirmation') {
      await room.sns.confirm(input);
      return c.json({ result: 'confirmed' });
    }
    return c.json(
      message.Type === 'Notification' ? await take(readSesEvent(message)) : { result: 'ignored' },
    );
  });

  routes.post('/hooks/resend', async (c) => {
    if (!room.resendSecrets) throw new PostriderError('NOT_FOUND', 'No secret of Resend is configured.');
    refuseUnsigned(c.req.header(), room.now());
    const raw = new TextDecoder().decode(await readBytes(bodyOf(c)));
    return c.json(await take(await readResendEvent(raw, c.req.header(), room.resendSecrets)));
  });

  routes.post('/hooks/bounces', async (c) => {
    if (!/^message\/rfc822\b/i.test(c.req.header('content-type') ?? ''))
      throw new PostriderError('UNSUPPORTED_MEDIA_TYPE', 'Send the report as message/rfc822.', {
        field: 'Content-Type',
      });
    const companyId = companyOf(c.get('caller'), c.req.query('companyId'));
    const reports = await readMailReport(await readBytes(bodyOf(c)), room.now());
    const results: string[] = [];
    for (const report of reports) results.push(await room.record(report, companyId));
    if (results.length > 0 && results.every((result) => result === 'unknown'))
      throw new PostriderError('EMAIL_NOT_FOUND', 'The report is about no email that is kept here.');
    return c.json({ results });
  });

  return routes;
}

const YOUNG_MS = 10 * 60_000;
