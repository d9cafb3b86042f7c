import { type Settings, setting } from '../../kernel/index.js';

/** Where the role `smtp` takes messages, and how much of them. */
export const submissionSettings = {
  submission: {
    port: setting.integer({
      env: ['POSTRIDER_SUBMISSION_PORT'],
      default: 587,
      min: 0,
      max: 65535,
      says: 'The port of the role `smtp`; 0 takes any free one.',
    }),
    host: setting.text({
      env: ['POSTRIDER_SUBMISSION_HOST'],
      default: '127.0.0.1',
      form: 'a host name or IP address',
      fits: (host) => /^[A-Za-z0-9._:-]+$/.test(host),
      says: 'The address the role `smtp` listens on; one beyond loopback needs a certificate.',
    }),
    name: setting.text({
      env: ['POSTRIDER_SUBMISSION_NAME'],
      default: null,
      form: 'a host name',
      fits: (host) => /^[A-Za-z0-9.-]+$/.test(host),
      says: 'The name it greets with; without it `postrider`.',
    }),
    certificateFile: setting.text({
      env: ['POSTRIDER_SUBMISSION_CERT'],
      default: null,
      form: 'a path',
      says: 'The certificate chain for STARTTLS, as PEM; read again when the file changes.',
    }),
    keyFile: setting.text({
      env: ['POSTRIDER_SUBMISSION_KEY'],
      default: null,
      form: 'a path',
      says: 'The private key of that certificate, as PEM.',
    }),
    allowPlain: setting.boolean({
      env: ['POSTRIDER_SUBMISSION_ALLOW_PLAIN'],
      default: false,
      says: 'Takes API keys without TLS beyond loopback too: only where nobody else can listen.',
    }),
    maxMessageBytes: setting.bytes({
      env: ['POSTRIDER_SUBMISSION_MAX_MESSAGE'],
      default: 16 * 1024 ** 2,
      min: 1024,
      max: 64 * 1024 ** 2,
      says: 'The largest message it takes; attachments are held to `POSTRIDER_MAX_ATTACHMENTS` besides.',
    }),
    maxRecipients: setting.integer({
      env: ['POSTRIDER_SUBMISSION_MAX_RECIPIENTS'],
      default: 100,
      min: 100,
      max: 1000,
      says: 'How many recipients one message may have; it becomes an email for every 50 of them.',
    }),
    maxConnections: setting.integer({
      env: ['POSTRIDER_SUBMISSION_MAX_CONNECTIONS'],
      default: 500,
      min: 1,
      max: 100_000,
      says: 'How many connections there may be at once, per process.',
    }),
    maxUnauthenticatedPerAddress: setting.integer({
      env: ['POSTRIDER_SUBMISSION_MAX_UNAUTHENTICATED_PER_ADDRESS'],
      default: null,
      min: 1,
      max: 100_000,
      says: 'How many of them one address (of IPv6 a network of 64 bits) may have that have not signed in; without it a fifth of `submission.maxConnections`.',
    }),
    maxConnectionsPerKey: setting.integer({
      env: ['POSTRIDER_SUBMISSION_MAX_CONNECTIONS_PER_KEY'],
      default: 20,
      min: 1,
      max: 100_000,
      says: 'How many of them one API key may have.',
    }),
    messagesPerMinute: setting.integer({
      env: ['POSTRIDER_SUBMISSION_MESSAGES_PER_MINUTE'],
      default: 600,
      min: 1,
      max: 1_000_000,
      says: 'How many messages one API key may submit per minute, per process.',
    }),
  },
} satisfies Settings;
