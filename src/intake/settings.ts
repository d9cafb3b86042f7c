import { type Settings, setting } from '../kernel/index.js';
import { MOST_ATTACHMENT_BYTES, USUAL_ATTACHMENT_BYTES } from './draft-attachments.js';

/** What an email may bring along. */
export const intakeSettings = {
  email: {
    maxAttachmentBytes: setting.bytes({
      env: ['POSTRIDER_MAX_ATTACHMENTS'],
      default: USUAL_ATTACHMENT_BYTES,
      min: 1024,
      max: MOST_ATTACHMENT_BYTES,
      says: 'How large the files of one email may be in all; what brings them is a third larger, so raise `POSTRIDER_HTTP_BODY_LIMIT` and `POSTRIDER_SUBMISSION_MAX_MESSAGE` with it.',
    }),
  },
} satisfies Settings;
