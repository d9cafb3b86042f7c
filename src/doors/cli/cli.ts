import type { Config, ConfigCheck, ConfigInput } from '../../config.js';
import type { Clock } from '../../kernel/index.js';
import type { Application } from './application.js';
import type { Act } from './note-act.js';
import type { Terminal } from './terminal.js';

/** Everything a command touches outside itself; `main.ts` fills it with the real process. */
export interface Cli {
  version: string;
  nodeVersion: string;
  terminal: Terminal;
  clock: Clock;
  wait(ms: number): Promise<void>;
  fetch: typeof fetch;
  checkConfig(input: ConfigInput): ConfigCheck;
  openApplication(config: Config): Promise<Application>;
  /** With the program the system has for it; answers whether there is one. */
  openFile(path: string): Promise<boolean>;
  /** Typed without being shown, or piped in. */
  readPassword(): Promise<string>;
  signals: SignalSource;
  /** What the command at hand changes, for the audit log; `runCli` says it. */
  act?: Act | null;
  /** Ends the process without waiting for anything. */
  exitNow(code: number): void;
}

export interface SignalSource {
  on(signal: StopSignal, listener: () => void): unknown;
  off(signal: StopSignal, listener: () => void): unknown;
}

export type StopSignal = 'SIGINT' | 'SIGTERM';

/** Options every command takes. */
export interface CommonOptions {
  config?: string;
}
