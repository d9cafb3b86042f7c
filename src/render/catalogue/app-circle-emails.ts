/** The emails of the app around circles: invitations, groups and meetings. */
import { z } from 'zod';
import { defineEmail } from '../define-email.js';
import { days, link, paragraph, personName, thingName } from './data-fields.js';
import { meeting, meetingFile, meetingSample } from './meeting-fields.js';

export const circleInvitation = defineEmail({
  type: 'circle_invitation',
  portal: 'app',
  category: 'circles',
  priority: 3,
  rateLimit: { limit: 5, windowSeconds: 86_400 },
  data: z.strictObject({
    /** Absent for someone who has no account yet. */
    name: personName.optional(),
    inviter: personName,
    circle: thingName,
    message: paragraph.optional(),
    acceptUrl: link,
    expiresInDays: days.optional(),
  }),
  sample: {
    name: 'Ada',
    inviter: 'Grace',
    circle: 'Morning readers',
    message: 'We read a chapter a week and talk about it on Tuesdays. You would fit right in.',
    acceptUrl: 'https://app.example.com/circles/join?token=7f3a91',
    expiresInDays: 14,
  },
});

export const groupAssignment = defineEmail({
  type: 'group_assignment',
  portal: 'app',
  category: 'circles',
  priority: 3,
  data: z.strictObject({
    name: personName,
    circle: thingName,
    group: thingName,
    /** The others in it. */
    members: z.array(personName).max(50),
    groupUrl: link,
  }),
  sample: {
    name: 'Ada',
    circle: 'Morning readers',
    group: 'Group 3',
    members: ['Grace', 'Katherine', 'Radia'],
    groupUrl: 'https://app.example.com/circles/12/groups/3',
  },
  moreSamples: {
    first: {
      name: 'Ada',
      circle: 'Morning readers',
      group: 'Group 3',
      members: [],
      groupUrl: 'https://app.example.com/circles/12/groups/3',
    },
  },
});

/** A meeting has a time: says when and where, with an entry for the calendar. */
export const meetingScheduled = defineEmail({
  type: 'meeting_scheduled',
  portal: 'app',
  category: 'circles',
  priority: 2,
  data: meeting.safeExtend({
    guestCount: z.int().nonnegative(),
    location: z.string().min(1).max(200).optional(),
    joinUrl: link.optional(),
  }),
  sample: {
    ...meetingSample,
    guestCount: 4,
    location: 'The library',
    joinUrl: 'https://app.example.com/meet/42',
  },
  attachments: (data, making) => [meetingFile('PUBLISH', data, making)],
});

/** The meeting will not take place: its entry leaves the calendar. */
export const meetingCancelled = defineEmail({
  type: 'meeting_cancelled',
  portal: 'app',
  category: 'circles',
  priority: 2,
  data: meeting.safeExtend({ reason: paragraph.optional() }),
  sample: { ...meetingSample, reason: 'The library is closed that day. I will suggest another one soon.' },
  attachments: (data, making) => [meetingFile('CANCEL', data, making)],
});
