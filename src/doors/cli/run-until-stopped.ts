import type { Config, ConfigInput } from '../../config.js';
import { messageOf } from '../../kernel/index.js';
import type { Application } from './application.js';
import type { Cli, StopSignal } from './cli.js';
import { configOf } from './with-application.js';

/**
 * Runs a long-lived command until SIGTERM or SIGINT, then stops it within the configured deadline
 * and returns 0. A second signal ends the process at once. A signal during the start counts too.
 */
export async function runUntilStopped(cli: Cli, input: ConfigInput, start: Start): Promise<number> {
  const config = configOf(cli, input);
  const stop = listenForStop(cli);
  try {
    const opening = cli.openApplication(config);
    await unlessStopped(cli, opening, stop);
    if (stop.heard()) {
      // Nothing runs yet and opening cannot be called back; what it began, the store rolls back.
      cli.terminal.note(`${stop.heard()} before the start was finished.`);
      cli.exitNow(0);
      return 0;
    }
    return await run(cli, await opening, { config, start, stop });
  } finally {
    stop.release();
  }
}

export type Start = (application: Application, config: Config) => Promise<void>;

async function run(
  cli: Cli,
  application: Application,
  { config, start, stop }: { config: Config; start: Start; stop: StopRequest },
): Promise<number> {
  try {
    await unlessStopped(cli, start(application, config), stop);
  } catch (error) {
    await application.stop({ deadlineMs: 0 });
    throw error;
  }
  const signal = await stop.requested;
  const deadlineMs = config.worker.stopDeadlineMs;
  const limit = `up to ${deadlineMs / 1000} s for what is in flight`;
  cli.terminal.note(`${signal}: stopping, ${limit}; once more ends it at once.`);
  await application.stop({ deadlineMs });
  cli.terminal.note('Stopped.');
  return 0;
}

/** Waits for the work or for a signal; work that fails after the signal is still told. */
async function unlessStopped(cli: Cli, work: Promise<unknown>, stop: StopRequest): Promise<void> {
  work.catch((error: unknown) => {
    if (stop.heard()) cli.terminal.note(`The start failed while stopping: ${messageOf(error)}`);
  });
  await Promise.race([work, stop.requested]);
}

interface StopRequest {
  requested: Promise<StopSignal>;
  heard(): StopSignal | null;
  release(): void;
}

function listenForStop(cli: Cli): StopRequest {
  let first: { signal: StopSignal; at: number } | null = null;
  let resolve: (signal: StopSignal) => void;
  const requested = new Promise<StopSignal>((settle) => {
    resolve = settle;
  });
  const hear = (signal: StopSignal) => {
    const at = cli.clock.monotonic();
    if (first === null) {
      first = { signal, at };
      resolve(signal);
    } else if (at - first.at > SAME_KEYPRESS_MS) cli.exitNow(signal === 'SIGINT' ? 130 : 143);
  };
  const listeners = SIGNALS.map((signal) => ({ signal, listener: () => hear(signal) }));
  for (const { signal, listener } of listeners) cli.signals.on(signal, listener);
  return {
    requested,
    heard: () => first?.signal ?? null,
    release: () => {
      for (const { signal, listener } of listeners) cli.signals.off(signal, listener);
    },
  };
}

const SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM'];

/** One Ctrl-C arrives twice under `npm start`: from the terminal and passed on by npm. */
const SAME_KEYPRESS_MS = 300;
