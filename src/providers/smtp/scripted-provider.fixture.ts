import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../kernel/index.js';
import type { Provider } from '../provider.js';
import { createSmtpProvider } from './create-smtp-provider.js';
import {
  greet,
  type Script,
  type ScriptedServer,
  scriptedServer,
  takeMessage,
} from './scripted-server.fixture.js';
import type { SmtpOptions } from './smtp-options.js';

/** A provider against a scripted server; both end with the test, which fails if a script did. */
export async function scriptedProvider(
  scripts: Script[],
  options: Partial<SmtpOptions> = {},
  clock: Clock = systemClock,
): Promise<{ provider: Provider; server: ScriptedServer }> {
  const server = await scriptedServer(...scripts);
  const provider = createSmtpProvider({ host: '127.0.0.1', port: server.port, ...options }, { clock });
  onTestFinished(async () => {
    await provider.close();
    await server.stop();
  });
  return { provider, server };
}

/** A script that accepts every email. */
export function takesAll(...extensions: string[]): Script {
  return async (peer) => {
    await greet(peer, ...extensions);
    for (;;) await takeMessage(peer);
  };
}
