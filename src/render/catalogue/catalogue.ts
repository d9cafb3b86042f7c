import { hubWelcome } from './hub-welcome.js';
import { meetingScheduled } from './meeting-scheduled.js';
import { passwordReset } from './password-reset.js';

/** The built-in types. A tuple, so that `send` knows each type's data. */
export const catalogue = [hubWelcome, passwordReset, meetingScheduled] as const;

export type CatalogueType = (typeof catalogue)[number];
