import { isEmailAddress, type Settings, setting } from '../kernel/index.js';

/** How much is attempted at once, how long it may take, and how often it is tried. */
export const pipelineSettings = {
  email: {
    redirectAllTo: setting.text({
      env: ['POSTRIDER_REDIRECT_ALL_TO'],
      default: null,
      form: 'an address of the form name@domain',
      fits: isEmailAddress,
      says: 'For staging: every email goes to this address alone; `X-Postrider-Original-To` tells whom it was for.',
    }),
    allowedDomains: setting.words({
      env: ['POSTRIDER_ALLOWED_RECIPIENT_DOMAINS'],
      default: null,
      form: 'domains such as example.com',
      fits: (domain) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain),
      says: 'For staging: an email to any other recipient domain is refused.',
    }),
  },
  worker: {
    concurrency: setting.integer({
      env: ['POSTRIDER_WORKER_CONCURRENCY'],
      default: 96,
      min: 1,
      max: 1000,
      says: 'How many emails are being attempted at once in this process; one that has waited for its server for a quarter of a second no longer counts, but no route has more than this.',
    }),
    inFlightBytes: setting.bytes({
      env: ['POSTRIDER_IN_FLIGHT_BYTES'],
      default: 1024 ** 2,
      min: 1024 ** 2,
      max: 4 * 1024 ** 3,
      says: 'How many bytes of content are held in memory at once for emails being attempted; one larger than that goes alone.',
    }),
    sendTimeoutMs: setting.duration({
      env: ['POSTRIDER_SEND_TIMEOUT'],
      default: 30_000,
      min: 1000,
      max: 600_000,
      plainUnit: 's',
      says: 'How long an attempt may take until its last byte is sent; the answer to it may take longer.',
    }),
    stopDeadlineMs: setting.duration({
      env: ['POSTRIDER_STOP_DEADLINE'],
      default: 30_000,
      min: 0,
      max: 3_600_000,
      plainUnit: 's',
      says: 'How long a stopping process waits for what is in flight before it gives the rest back.',
    }),
  },
  retry: {
    preset: setting.choice(['gateway', 'outbox', 'system', 'broker', 'bus'], {
      env: ['POSTRIDER_RETRY_PRESET'],
      default: 'gateway',
      says: 'How often and after which waits an email is tried again when its type names no preset.',
    }),
    maxAttempts: setting.integer({
      env: ['EMAIL_MAX_RETRIES'],
      default: null,
      min: 1,
      max: 100,
      says: 'The most attempts any email gets in all, the first included, whatever its preset allows.',
    }),
  },
} satisfies Settings;
