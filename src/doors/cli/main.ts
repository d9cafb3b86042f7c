#!/usr/bin/env node
import { createRequire } from 'node:module';
import { checkConfig } from '../../config.js';
import { delay, systemClock } from '../../kernel/index.js';
import { openFile } from './open-file.js';
import { readPassword } from './read-password.js';
import { runCli } from './run-cli.js';
import { processTerminal } from './terminal.js';

/** The process `postrider`: hands the real world to the command line and takes its exit code. */
const { version } = createRequire(import.meta.url)('postrider/package.json') as { version: string };

// A reader that went away (`postrider status | head`) is no fault of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

runCli(process.argv.slice(2), {
  version,
  nodeVersion: process.version,
  terminal: processTerminal(process.stdout, process.stderr),
  clock: systemClock,
  wait: delay,
  fetch,
  checkConfig,
  // Loaded when needed, so that --help and config check answer at once.
  openApplication: async (config) => (await import('../../app.js')).openApplication(config),
  openFile,
  readPassword: () => readPassword(process.stdin, process.stderr),
  signals: process,
  exitNow: (code) => process.exit(code),
}).then((exitCode) => {
  process.exitCode = exitCode;
  // Connections to a server that hangs would keep the process; whoever asked it to stop has waited enough.
  setTimeout(() => process.exit(exitCode), 2000).unref();
});
