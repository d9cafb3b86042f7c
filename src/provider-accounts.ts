import { systemClock } from './kernel/index.js';
import {
  createResendProvider,
  createSesProvider,
  createSmtpProvider,
  type Provider,
  type ResendOptions,
  type SesOptions,
  type SmtpOptions,
} from './providers/index.js';

/**
 * The providers for an application that sets them up in code, with what no setting can hold: a token
 * source for XOAUTH2, several DKIM keys, TLS options. Pass one as `provider`, or one per route.
 */
export function smtpProvider(options: SmtpOptions): Provider {
  return createSmtpProvider(options, { clock: systemClock });
}

export function sesProvider(options: SesOptions): Provider {
  return createSesProvider(options, { clock: systemClock });
}

export function resendProvider(options: ResendOptions): Provider {
  return createResendProvider(options, { clock: systemClock });
}
