import { hostname } from 'node:os';
import { Derived, type Settings } from './setting.js';
import { choice, text } from './setting-kinds.js';

/** Settings of the ground itself: how much is logged, and what this process is called. */
export const kernelSettings = {
  log: {
    level: choice(['debug', 'info', 'warn', 'error', 'silent'], {
      env: ['POSTRIDER_LOG_LEVEL'],
      default: 'info',
      says: 'The least important log line that is still written.',
    }),
  },
  instance: {
    name: text({
      env: ['POSTRIDER_INSTANCE'],
      default: new Derived(() => hostname(), "this machine's host name"),
      says: 'What this process is called in leases, logs and `postrider status`.',
    }),
  },
} satisfies Settings;
