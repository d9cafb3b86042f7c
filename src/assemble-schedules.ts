import type { Config } from './config.js';
import type { Intake } from './intake/index.js';
import { type Logger, systemRandomness } from './kernel/index.js';
import { renderReact } from './render/index.js';
import {
  builtInSchedules,
  createSchedules,
  databaseNow,
  type FocusContent,
  type Schedule,
  type Schedules,
} from './schedules/index.js';
import type { Database } from './store/index.js';

/** The schedules of one process: those that come along and the application's own, which win where names are the same. */
export function assembleSchedules(config: Config, parts: ScheduleParts): Schedules {
  const { own = [], focusContent } = parts;
  const names = new Set(own.map(({ name }) => name));
  const builtIn = builtInSchedules(config.schedules, focusContent).filter(({ name }) => !names.has(name));
  return createSchedules({
    database: parts.database,
    schedules: [...builtIn, ...own],
    defaultZone: config.schedules.timeZone,
    acceptEach: async (inputs, options) => (await parts.intake()).acceptEach(inputs, options),
    rendered: renderReact,
    now: databaseNow,
    random: systemRandomness,
    logger: parts.logger,
  });
}

export interface ScheduleParts {
  own?: readonly Schedule[] | undefined;
  focusContent?: FocusContent | undefined;
  database(): Promise<Database>;
  intake(): Promise<Intake>;
  logger: Logger;
}
