import {
  Derived,
  isEmailAddress,
  type ReservedName,
  type SettingRule,
  type Settings,
  setting,
} from '../kernel/index.js';

/** Which way out emails take, as whom, and the account they take it with. */
export const providerSettings = {
  email: {
    mode: setting.choice(['console', 'smtp'], {
      env: ['EMAIL_MODE'],
      default: new Derived(
        (get) => (get('smtp.host') === null ? 'console' : 'smtp'),
        '`smtp` when `smtp.host` is set, else `console`',
      ),
      says: 'The provider emails leave by: `console` only prints them, `smtp` delivers.',
    }),
    fromEmail: setting.text({
      env: ['SMTP_FROM_EMAIL', 'SMTP_FROM_ADDRESS'],
      default: null,
      form: 'an address of the form name@domain',
      fits: isEmailAddress,
      says: 'The sender of emails that name none.',
    }),
    fromName: setting.text({
      env: ['SMTP_FROM_NAME'],
      default: null,
      says: 'The name shown with `email.fromEmail`.',
    }),
  },
  smtp: {
    host: setting.text({
      env: ['SMTP_HOST'],
      default: null,
      form: 'a host name or IP address',
      fits: (host) => /^[A-Za-z0-9._:-]+$/.test(host),
      says: 'The SMTP server emails are handed to.',
    }),
    port: setting.integer({
      env: ['SMTP_PORT'],
      default: 587,
      min: 1,
      max: 65535,
      says: 'Its port; 465 speaks TLS from the first byte, any other upgrades with STARTTLS where it is offered.',
    }),
    username: setting.text({
      env: ['SMTP_USERNAME'],
      default: null,
      says: 'The account to sign in with; none without it.',
    }),
    password: setting.text({
      env: ['SMTP_PASSWORD'],
      default: null,
      secret: true,
      says: 'The password of `smtp.username`.',
    }),
    requireTls: setting.boolean({
      env: ['SMTP_REQUIRE_TLS'],
      default: new Derived(
        (get) => get('smtp.username') !== null,
        '`true` when `smtp.username` is set, else `false`',
      ),
      says: 'Whether to refuse a connection that does not become encrypted.',
    }),
    maxConnections: setting.integer({
      env: ['POSTRIDER_SMTP_MAX_CONNECTIONS'],
      default: 20,
      min: 1,
      max: 1000,
      says: 'How many connections this process may hold to the server.',
    }),
  },
} satisfies Settings;

export const providerRules: readonly SettingRule[] = [
  {
    key: 'email.mode',
    reads: ['email.mode', 'smtp.host'],
    broken: (get, { development }) =>
      get('email.mode') === 'smtp' && get('smtp.host') === null && !development
        ? 'is smtp but no server is named; set SMTP_HOST'
        : null,
  },
  {
    key: 'smtp.username',
    reads: ['smtp.username', 'smtp.password'],
    broken: (get) =>
      get('smtp.username') !== null && get('smtp.password') === null
        ? 'needs a password with it; set SMTP_PASSWORD'
        : null,
  },
  {
    key: 'smtp.password',
    reads: ['smtp.username', 'smtp.password'],
    broken: (get) =>
      get('smtp.username') === null && get('smtp.password') !== null
        ? 'needs an account with it; set SMTP_USERNAME'
        : null,
  },
];

export const providerReserved: readonly ReservedName[] = [
  { name: 'RESEND_API_KEY', controls: 'The key of the Resend account, for `EMAIL_MODE=resend`.' },
];
