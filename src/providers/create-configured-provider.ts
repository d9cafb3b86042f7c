import { readFileSync } from 'node:fs';
import { type Clock, type Logger, messageOf, PostriderError } from '../kernel/index.js';
import { createConsoleProvider } from './console/create-console-provider.js';
import type { DkimKey } from './mime/dkim-keys.js';
import type { Provider } from './provider.js';
import { createResendProvider } from './resend/create-resend-provider.js';
import { createSesProvider } from './ses/create-ses-provider.js';
import type { ProviderConfig } from './settings.js';
import { createSmtpProvider } from './smtp/create-smtp-provider.js';

/** The provider that EMAIL_MODE names, with its settings. Throws INVALID_CONFIG for what cannot work. */
export function createConfiguredProvider(
  config: ProviderConfig,
  { clock, logger }: { clock: Clock; logger: Logger },
): Provider {
  const { smtp, resend, ses } = config;
  switch (config.email.mode) {
    case 'console':
      return createConsoleProvider({ logger });
    case 'smtp':
      if (smtp.host === null) return createConsoleProvider({ logger });
      return createSmtpProvider(
        { ...given(smtp), host: smtp.host, port: smtp.port, dkim: dkimKeys(config) },
        { clock },
      );
    case 'resend':
      return createResendProvider({ ...resend, apiKey: resend.apiKey ?? '' }, { clock });
    case 'ses':
      return createSesProvider({ ...given(ses), dkim: dkimKeys(config) }, { clock });
  }
}

function dkimKeys({ dkim: { domain, selector, keyFile } }: ProviderConfig): DkimKey[] {
  if (domain === null || selector === null || keyFile === null) return [];
  try {
    return [{ domain, selector, privateKey: readFileSync(keyFile, 'utf8') }];
  } catch (error) {
    throw new PostriderError('INVALID_CONFIG', `The DKIM key cannot be read: ${messageOf(error)}`, {
      field: 'dkim.keyFile',
      cause: error,
    });
  }
}

/** Settings that nobody gave are null; options leave them out. */
function given<T extends object>(settings: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(settings).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}
