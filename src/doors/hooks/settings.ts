import { type Settings, setting } from '../../kernel/index.js';

/** Who may report what became of emails. */
export const hookSettings = {
  hooks: {
    sesTopics: setting.text({
      env: ['SES_SNS_TOPIC_ARNS'],
      default: null,
      form: 'ARNs of SNS topics, separated by commas',
      fits: (arns) => arns.split(',').every((arn) => TOPIC.test(arn.trim())),
      says: 'The SNS topics whose notifications `/hooks/ses` takes and whose subscription it confirms; without any it takes none.',
    }),
    resendSecrets: setting.text({
      env: ['RESEND_WEBHOOK_SECRET'],
      default: null,
      secret: true,
      form: 'signing secrets starting with whsec_, separated by commas',
      fits: (secrets) => secrets.split(',').every((secret) => SECRET.test(secret.trim())),
      says: 'What Resend signs its webhooks to `/hooks/resend` with; without any it takes none.',
    }),
  },
} satisfies Settings;

const TOPIC =
  /^arn:aws[a-z-]*:sns:[a-z]{2,4}(?:-[a-z]+){1,3}-\d{1,2}:\d{12}:[A-Za-z0-9_-]{1,256}(?:\.fifo)?$/;
const SECRET = /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/;
