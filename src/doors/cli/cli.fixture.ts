import { EventEmitter } from 'node:events';
import pc from 'picocolors';
import { checkConfig } from '../../config.js';
import { ManualClock } from '../../kernel/index.js';
import type { Application } from './application.js';
import type { Cli } from './cli.js';
import type { Act } from './note-act.js';
import { runCli } from './run-cli.js';

/**
 * A command line for tests: a stand-in application that records what it was asked, a terminal that
 * keeps its lines, a clock that moves only by waiting. The environment is what the test says.
 */
export function cliForTest(options: Options = {}) {
  const calls: unknown[][] = [];
  const out: string[] = [];
  const notes: string[] = [];
  const exits: number[] = [];
  const acts: Act[] = [];
  const signals = new EventEmitter();
  const clock = new ManualClock();
  const application = Object.fromEntries(
    Object.entries({ ...quiet, ...options.application }).map(([name, act]) => [
      name,
      (...args: never[]) => {
        calls.push([name, ...args.filter((arg) => typeof arg !== 'function')]);
        return (act as (...args: never[]) => unknown)(...args);
      },
    ]),
  ) as unknown as Application;
  let refusing = false;
  application.noteAct = async (act) => {
    if (refusing) throw new Error('the log is away');
    if (options.application?.isFresh?.()) return false;
    acts.push(act);
    return true;
  };
  const cli: Cli = {
    version: '9.9.9',
    nodeVersion: options.nodeVersion ?? 'v20.19.0',
    terminal: {
      out: (line) => out.push(line),
      note: (line) => notes.push(line),
      redraw: (line) => notes.push(`\r${line}`),
      watched: options.watched ?? false,
      colors: pc.createColors(false),
    },
    clock,
    wait: async (ms) => clock.advance(ms),
    fetch: options.fetch ?? (() => Promise.reject(new TypeError('fetch failed'))),
    checkConfig: (input) => checkConfig({ file: null, ...strip(input), env: options.env ?? {} }),
    openApplication: async () => {
      calls.push(['open']);
      await options.opening?.();
      return application;
    },
    openFile: async (path) => {
      calls.push(['openFile', path]);
      return true;
    },
    readPassword: async () => options.password ?? '',
    signals,
    exitNow: (code) => exits.push(code),
  };
  const refuseNotes = () => {
    refusing = true;
  };
  return {
    run: (...args: string[]) => runCli(args, cli),
    refuseNotes,
    calls,
    acts,
    out,
    notes,
    exits,
    signals,
    clock,
  };
}

interface Options {
  application?: Partial<Application>;
  env?: Record<string, string>;
  watched?: boolean;
  nodeVersion?: string;
  fetch?: typeof fetch;
  opening?: () => Promise<void>;
  password?: string;
}

export const EMAIL_ID = '01890000-0000-7000-8000-000000000001';

const quiet: Application = {
  send: async () => ({ queued: true, emailId: EMAIL_ID, requestId: 'r', status: 'pending' }),
  get: async () => null,
  timeline: async () => [],
  overview: async () => ({ byStatus: {}, oldestWaitingSeconds: null, workers: [], pauses: [], routes: [] }),
  migrate: async () => ({ applied: [], current: 6 }),
  templates: () => Promise.reject(new Error('this test has no templates')),
  markRestored: async () => ({ possibleDuplicates: 0, unknown: 0 }),
  pause: async () => {},
  resume: async () => 1,
  suppressions: async () => {
    throw new Error('a test that asks for the list says what it answers');
  },
  importRecipients: async () => ({ created: 0, updated: 0 }),
  limits: () => Promise.reject(new Error('the test brings no limits')),
  alerts: () => Promise.reject(new Error('the test brings no alerts')),
  testAlerts: async () => [],
  operations: () => Promise.reject(new Error('the test brings no operations')),
  brokerDeadLetters: () => {
    throw new Error('the test brings no broker');
  },
  busDeadLetters: () => {
    throw new Error('the test brings no bus');
  },
  schedules: async () => ({
    list: async () => [],
    pause: async () => {},
    resume: async () => {},
    runNow: async () => [],
    runs: async () => [],
  }),
  call: async () => ({}) as never,
  noteAct: async () => true,
  doctor: async () => [],
  isFresh: () => false,
  serve: async () => {},
  dev: async (announce) => announce({ url: 'http://127.0.0.1:3400/', smtpPort: 1025 }),
  stop: async () => {},
};

function strip<T extends object>(input: T): Partial<T> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Partial<T>;
}
