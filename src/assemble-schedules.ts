import type { AssembledSuppression } from './assemble-suppression.js';
import type { Config } from './config.js';
import { fillBroadcast } from './fill-broadcast.js';
import type { Intake } from './intake/index.js';
import { type Logger, systemRandomness } from './kernel/index.js';
import { createContactProperties, createTopics } from './recipients/index.js';
import { renderReact } from './render/index.js';
import {
  broadcastSchedule,
  builtInSchedules,
  createSchedules,
  databaseNow,
  type FocusContent,
  type Schedule,
  type Schedules,
  scheduleOf,
} from './schedules/index.js';
import type { Database } from './store/index.js';

/** The schedules of one process: those that come along, those of the settings and the application's own. */
export function assembleSchedules(config: Config, parts: ScheduleParts): Schedules {
  // Of one name, code wins over settings, and both over what comes along.
  const schedules = new Map(
    [
      ...builtInSchedules(config.schedules, parts.focusContent),
      ...(config.schedules.own ?? []).map(scheduleOf),
      ...(parts.own ?? []),
      broadcastSchedule({
        ...{ database: parts.database, topics: createTopics(parts.database) },
        properties: createContactProperties(parts.database),
        ...{ hashKey: parts.suppression.hashKey, fill: fillBroadcast(parts.suppression.unsubscribeUrl) },
      }),
    ].map((schedule) => [schedule.name, schedule]),
  );
  return createSchedules({
    database: parts.database,
    isHeld: parts.isHeld,
    schedules: [...schedules.values()],
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
  isHeld(): Promise<boolean>;
  intake(): Promise<Intake>;
  suppression: Pick<AssembledSuppression, 'hashKey' | 'unsubscribeUrl'>;
  logger: Logger;
}
