import {
  Derived,
  isDisplayName,
  isEmailAddress,
  type SettingRule,
  type Settings,
  setting,
  type ValuesOf,
} from '../kernel/index.js';

/** Which way out emails take, as whom, and the account they take it with. */
export const providerSettings = {
  email: {
    mode: setting.choice(['console', 'smtp', 'resend', 'ses'], {
      env: ['EMAIL_MODE'],
      default: new Derived(
        (get) => (get('smtp.host') === null ? 'console' : 'smtp'),
        '`smtp` when `smtp.host` is set, else `console`',
      ),
      says: 'The provider emails leave by; `console` only prints that they would have.',
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
      form: 'one line of at most 256 characters',
      fits: isDisplayName,
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
  resend: {
    apiKey: setting.text({
      env: ['RESEND_API_KEY'],
      default: null,
      secret: true,
      says: 'The key of the Resend account.',
    }),
    baseUrl: setting.url({
      env: ['RESEND_BASE_URL'],
      schemes: ['https', 'http'],
      default: 'https://api.resend.com',
      says: 'Where its API answers.',
    }),
  },
  ses: {
    region: setting.text({
      env: ['SES_REGION', 'AWS_REGION'],
      default: null,
      form: 'the name of a region, such as eu-north-1',
      fits: (region) => /^[a-z0-9-]+$/.test(region),
      says: "The region of the SES account; without it, and for the credentials, the AWS SDK's own ways apply.",
    }),
    configurationSet: setting.text({
      env: ['SES_CONFIGURATION_SET'],
      default: null,
      says: 'The configuration set emails are sent with.',
    }),
    endpoint: setting.url({
      env: ['SES_ENDPOINT'],
      schemes: ['https', 'http'],
      default: null,
      says: "Where the API answers, when not at the region's own address.",
    }),
  },
  dkim: {
    domain: setting.text({
      env: ['POSTRIDER_DKIM_DOMAIN'],
      default: null,
      says: 'The domain whose mail, with that of its subdomains, is signed over `smtp` and `ses`.',
    }),
    selector: setting.text({
      env: ['POSTRIDER_DKIM_SELECTOR'],
      default: null,
      says: 'The selector under which the public key stands in the DNS.',
    }),
    keyFile: setting.text({
      env: ['POSTRIDER_DKIM_KEY_FILE'],
      default: null,
      says: 'The file with the private key in PEM form, RSA or Ed25519.',
    }),
  },
} satisfies Settings;

export type ProviderConfig = ValuesOf<typeof providerSettings>;

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
  {
    key: 'resend.apiKey',
    reads: ['email.mode', 'resend.apiKey'],
    broken: (get) =>
      get('email.mode') === 'resend' && get('resend.apiKey') === null
        ? 'is needed when email.mode is resend; set RESEND_API_KEY'
        : null,
  },
  {
    key: 'dkim.keyFile',
    reads: ['dkim.domain', 'dkim.selector', 'dkim.keyFile'],
    broken: (get) => {
      const given = ['dkim.domain', 'dkim.selector', 'dkim.keyFile'].filter((key) => get(key) !== null);
      return given.length === 1 || given.length === 2
        ? 'works together with dkim.domain and dkim.selector only; set all three or none'
        : null;
    },
  },
];
