import { adminTfa } from './admin-emails.js';
import { agencyForgotPassword, agencyPasswordChanged, agencyWelcome } from './agency-emails.js';
import {
  deletionScheduled,
  passwordChanged,
  passwordReset,
  verification,
  welcome,
} from './app-account-emails.js';
import { checkinReminder, inactivity, reminder, streakWarning, weeklyFocus } from './app-automated-emails.js';
import {
  circleInvitation,
  groupAssignment,
  meetingCancelled,
  meetingScheduled,
} from './app-circle-emails.js';
import { hubEmailVerification, hubForgotPassword, hubPasswordChanged, hubWelcome } from './hub-emails.js';
import { orgForgotPassword, orgInvite, orgPasswordChanged, orgWelcome } from './org-emails.js';
import {
  accountDeletion,
  rssPasswordReset,
  rssRegistration,
  rssRemoval,
  userCertification,
} from './rss-emails.js';

/** The built-in types. A tuple, so that `send` knows each type's data. */
export const catalogue = [
  ...[hubWelcome, hubForgotPassword, hubPasswordChanged, hubEmailVerification],
  ...[orgWelcome, orgForgotPassword, orgPasswordChanged, orgInvite],
  ...[agencyWelcome, agencyForgotPassword, agencyPasswordChanged],
  ...[adminTfa],
  ...[verification, passwordReset, passwordChanged, welcome, deletionScheduled],
  ...[circleInvitation, groupAssignment, meetingScheduled, meetingCancelled],
  ...[weeklyFocus, checkinReminder, streakWarning, inactivity, reminder],
  ...[userCertification, rssRegistration, rssRemoval, rssPasswordReset, accountDeletion],
] as const;

export type CatalogueType = (typeof catalogue)[number];
