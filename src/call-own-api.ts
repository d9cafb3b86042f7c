import { randomBytes } from 'node:crypto';
import type { ApiCall } from './doors/cli/application.js';
import { refusalOf } from './doors/cli/ask-running-process.js';
import type { Act } from './doors/cli/note-act.js';
import { isPostriderError, silentLogger, systemClock } from './kernel/index.js';
import type { Postrider } from './postrider.js';
import { httpParts } from './regional-rooms.js';
import type { Regions } from './regions-contract.js';

/**
 * This process's own API without a socket, for the command line, which is root: whoever may start a process with this
 * database may do everything in it. The audit log names it.
 */
export function callOwnApi(open: () => Promise<Postrider | Regions>): ApiCall {
  return async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const postrider = await open();
    const { createHttpApp } = await import('./doors/http/index.js');
    const key = randomBytes(32).toString('hex');
    const app = createHttpApp({
      ...httpParts(postrider),
      logger: silentLogger,
      clock: systemClock,
      apiKey: key,
      rootName: COMMAND_LINE.name,
      bodyLimitBytes: 1024 ** 2,
    });
    const response = await app.request(path, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw refusalOf(answer, response.status);
    return answer as Answer;
  };
}

/** What a command did past the API, told to the same log. False where there is no store to write it in yet. */
export async function noteAct(existing: () => Promise<Postrider>, act: Act): Promise<boolean> {
  const store = await existing().catch((error: unknown) => {
    if (isPostriderError(error) && error.code === 'STORE_NOT_MIGRATED') return null;
    throw error;
  });
  await store?.access.audit.write(COMMAND_LINE, { ...act, outcome: 'asked' });
  return store !== null;
}

const COMMAND_LINE = { kind: 'root', name: 'command line' } as const;
