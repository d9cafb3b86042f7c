import type { SESv2Client } from '@aws-sdk/client-sesv2';
import { type Clock, isPostriderError } from '../../kernel/index.js';
import { HttpAttempt } from '../http-attempt.js';
import { composeMessage } from '../mime/compose-message.js';
import { notBegun, STOPPING, unsent } from '../our-side.js';
import type { Outcome, OutgoingEmail, Provider } from '../provider.js';
import { oneLine } from '../smtp/conversation.js';
import { smtpEnvelope } from '../smtp/smtp-envelope.js';
import { checkSdkInstalled, type SesOptions } from './ses-options.js';
import { outcomeOfSesError, SES_TIMEOUT } from './ses-outcome.js';
import { createIdentityCheck, createSesSigner, withoutOwnSignature } from './sign-for-ses.js';

/**
 * Delivery through Amazon SES: SendEmail of its second API with the message we composed. The SDK does
 * not retry; there is one retry policy, the pipeline's. Throws INVALID_CONFIG when the SDK is missing.
 */
export function createSesProvider(options: SesOptions, { clock }: { clock: Clock }): SesProvider {
  checkSdkInstalled();
  const signer = createSesSigner(options.dkim ?? [], {
    clock,
    identitySigns: createIdentityCheck(identitySigns, clock),
  });
  const timeoutMs = options.timeoutMs ?? 30_000;
  let opening: Promise<{ sdk: SesSdk; client: SESv2Client }> | undefined;
  const open = () => {
    opening ??= import('@aws-sdk/client-sesv2').then((sdk) => ({ sdk, client: clientOf(sdk, options) }));
    return opening;
  };

  async function prepare(email: OutgoingEmail): Promise<{ raw: Buffer; recipients: string[] } | Outcome> {
    const envelope = smtpEnvelope(email);
    if ('invalid' in envelope) return refused('INVALID_EMAIL', 'an address cannot be written in SMTP');
    if (envelope.utf8) return refused('SMTPUTF8_UNSUPPORTED', 'SES takes addresses in ASCII only');
    try {
      const raw = await signer.sign(await composeMessage(email), email.from.address);
      return { raw, recipients: envelope.recipients.map(({ path }) => path) };
    } catch (error) {
      if (isPostriderError(error)) return refused(error.code, error.message);
      throw error;
    }
  }

  /** Null where there is no such identity. */
  async function identitySigns(identity: string): Promise<boolean | null> {
    const { sdk, client } = await open();
    const command = new sdk.GetEmailIdentityCommand({ EmailIdentity: identity });
    try {
      const { DkimAttributes: own } = await client.send(command, {
        abortSignal: AbortSignal.timeout(IDENTITY_MS),
      });
      return own?.SigningEnabled === true && SIGNING.has(own.Status ?? '');
    } catch (error) {
      if ((error as Error).name === 'NotFoundException') return null;
      throw error;
    }
  }

  async function account() {
    const { sdk, client } = await open();
    const abortSignal = AbortSignal.timeout(timeoutMs);
    return client.send(new sdk.GetAccountCommand({}), { abortSignal });
  }

  return {
    name: 'ses',
    callsBegin: true,

    async send(email, attempt) {
      if (attempt.signal.aborted) return unsent(STOPPING, 'the process is stopping');
      const message = await prepare(email);
      if ('kind' in message) return message;
      const { sdk, client } = await open();
      const http = new HttpAttempt(attempt, { clock, replyTimeoutMs: timeoutMs, timeoutCode: SES_TIMEOUT });
      const command = new sdk.SendEmailCommand({
        Content: { Raw: { Data: message.raw } },
        Destination: { ToAddresses: message.recipients },
        ...(options.configurationSet ? { ConfigurationSetName: options.configurationSet } : {}),
      });
      // The innermost step: credentials are found and the request is signed before the lease is asked about.
      command.middlewareStack.add(
        (next) => async (args) => {
          if (!(await http.begin())) throw new NotBegun();
          if (!http.mayRequest()) throw new Error('the request must not leave');
          return next(args);
        },
        { step: 'deserialize', priority: 'low', name: 'postriderMayDeliver' },
      );
      try {
        const { MessageId: id } = await client.send(command, { abortSignal: http.signal });
        if (!id) return http.unknown('SES_BROKEN_ANSWER', 'SES answered without a message id');
        return {
          kind: 'sent',
          providerMessageId: oneLine(id, 200),
          trace: { stage: 'reply', responseCode: 200 },
        };
      } catch (error) {
        if (error instanceof NotBegun) return notBegun();
        const from = email.from.address;
        return withoutOwnSignature(
          outcomeOfSesError(error, { http, nowMs: clock.now(), from }),
          from,
          signer,
        );
      } finally {
        http.end();
      }
    },

    async testConnection() {
      try {
        const { SendingEnabled, ProductionAccessEnabled, SendQuota } = await account();
        if (SendingEnabled === false)
          return { ok: false, message: 'SES has disabled sending for the account' };
        const sandbox = ProductionAccessEnabled === false ? ', in the sandbox' : '';
        const rate = SendQuota?.MaxSendRate ?? 'an unknown number of';
        return { ok: true, message: `SES is ready, ${rate} emails a second${sandbox}` };
      } catch (error) {
        const { name, message } = error as Error;
        return { ok: false, message: oneLine(`SES: ${name}: ${message}`, 500) };
      }
    },

    async sendQuota() {
      const { SendQuota: quota } = await account();
      return {
        perSecond: quota?.MaxSendRate ?? null,
        // SES writes -1 for "no limit".
        perDay: quota?.Max24HourSend !== undefined && quota.Max24HourSend >= 0 ? quota.Max24HourSend : null,
        sentLastDay: quota?.SentLast24Hours ?? 0,
      };
    },

    async close() {
      const opened = opening;
      opening = undefined;
      (await opened?.catch(() => undefined))?.client.destroy();
    },
  };
}

export interface SesProvider extends Provider {
  /** What the account may send, for the route's rate. Throws what the SDK throws. */
  sendQuota(): Promise<SendQuota>;
}

export interface SendQuota {
  perSecond: number | null;
  /** In any 24 hours; null: no limit. */
  perDay: number | null;
  sentLastDay: number;
}

class NotBegun extends Error {}

const IDENTITY_MS = 5000;
/** It goes on signing for days while its record cannot be seen. */
const SIGNING = new Set(['SUCCESS', 'TEMPORARY_FAILURE']);

/** Not exported: the types of an optional peer must not be needed by those who do without it. */
type SesSdk = typeof import('@aws-sdk/client-sesv2');

function clientOf({ SESv2Client }: SesSdk, { region, credentials, endpoint }: SesOptions): SESv2Client {
  return new SESv2Client({
    ...(region ? { region } : {}),
    ...(credentials ? { credentials } : {}),
    ...(endpoint ? { endpoint } : {}),
    maxAttempts: 1,
    // The worker bounds what is in flight. A request waiting in the agent would count as sent.
    requestHandler: {
      connectionTimeout: 10_000,
      httpAgent: { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY },
      httpsAgent: { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY },
    },
  });
}

function refused(code: string, message: string): Outcome {
  const trace = { stage: 'connect' };
  return { kind: 'rejected', scope: 'message', code, category: 'VALIDATION_ERROR', message, trace };
}
