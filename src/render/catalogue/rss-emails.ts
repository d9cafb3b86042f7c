/** The emails of the feed directory. Their names are those of the messages that other services publish. */
import { z } from 'zod';
import { defineEmail } from '../define-email.js';
import { confirmationCode, link, minutes, paragraph, thingName } from './data-fields.js';

const code = z.strictObject({ code: confirmationCode, expiresInMinutes: minutes });
const codeSample = { code: '730264', expiresInMinutes: 10 };

/** The code that proves the address of someone who signs up. */
export const userCertification = defineEmail({
  type: 'USER_CERTIFICATION',
  portal: 'rss',
  category: 'auth',
  priority: 1,
  expiresIn: '10m',
  sensitive: true,
  subjectFields: ['expiresInMinutes'],
  data: code,
  sample: codeSample,
});

export const rssPasswordReset = defineEmail({
  type: 'PASSWORD_RESET',
  portal: 'rss',
  category: 'auth',
  priority: 1,
  expiresIn: '10m',
  sensitive: true,
  subjectFields: ['expiresInMinutes'],
  data: code,
  sample: codeSample,
});

/** The code that confirms that an account is to be deleted. */
export const accountDeletion = defineEmail({
  type: 'ACCOUNT_DELETION',
  portal: 'rss',
  category: 'account',
  priority: 1,
  expiresIn: '10m',
  sensitive: true,
  subjectFields: ['expiresInMinutes'],
  data: code,
  sample: codeSample,
});

/** The code that confirms that a feed is to be removed. */
export const rssRemoval = defineEmail({
  type: 'RSS_REMOVAL',
  portal: 'rss',
  category: 'account',
  priority: 1,
  expiresIn: '10m',
  sensitive: true,
  subjectFields: ['feed', 'expiresInMinutes'],
  data: z.strictObject({ feed: thingName, code: confirmationCode, expiresInMinutes: minutes }),
  sample: { feed: 'Notes on Engines', ...codeSample },
});

/** A feed was approved, or rejected with a reason. */
export const rssRegistration = defineEmail({
  type: 'RSS_REGISTRATION',
  portal: 'rss',
  category: 'account',
  priority: 3,
  data: z.discriminatedUnion('result', [
    z.strictObject({ result: z.literal('approved'), feed: thingName, feedUrl: link }),
    z.strictObject({
      result: z.literal('rejected'),
      feed: thingName,
      reason: paragraph,
    }),
  ]),
  sample: {
    result: 'approved',
    feed: 'Notes on Engines',
    feedUrl: 'https://rss.example.com/feeds/notes-on-engines',
  },
  moreSamples: {
    rejected: {
      result: 'rejected',
      feed: 'Notes on Engines',
      reason: 'The feed has had no new entry since 2028, and its address redirects to another site.',
    },
  },
});
