import { isLoopbackHost, type SettingRule, type Settings, setting } from '../../kernel/index.js';

export const USUAL_CONNECTIONS = 2000;
export const USUAL_CONNECTIONS_PER_ADDRESS = 1000;

/** Where the API listens and who may speak to it. */
export const httpSettings = {
  http: {
    port: setting.integer({
      env: ['PORT'],
      default: 3400,
      min: 0,
      max: 65535,
      says: 'The port of the API and the development page; 0 takes any free one.',
    }),
    host: setting.text({
      env: ['HOST'],
      default: '127.0.0.1',
      form: 'a host name or IP address',
      fits: (host) => /^[A-Za-z0-9._:-]+$/.test(host),
      says: 'The address `postrider serve` listens on; one beyond loopback needs `http.apiKey`.',
    }),
    apiKey: setting.text({
      env: ['POSTRIDER_API_KEY'],
      default: null,
      secret: true,
      says: 'The key of operators, as `Authorization: Bearer …`, which may do everything; without it connections from loopback are root and no others are served.',
    }),
    trustedProxies: setting.integer({
      env: ['POSTRIDER_TRUSTED_PROXIES'],
      default: 0,
      min: 0,
      max: 10,
      says: 'How many proxies stand in front and add to `X-Forwarded-For`; with 0 the header is not believed.',
    }),
    bodyLimitBytes: setting.bytes({
      env: ['POSTRIDER_HTTP_BODY_LIMIT'],
      default: 16 * 1024 ** 2,
      min: 1024,
      max: 1024 ** 3,
      says: 'The largest request body that is read, of emails; other routes take less, see API.md.',
    }),
    maxConnections: setting.integer({
      env: ['POSTRIDER_HTTP_MAX_CONNECTIONS'],
      default: USUAL_CONNECTIONS,
      min: 1,
      max: 1_000_000,
      says: 'How many connections there may be at once, per process; one more is answered with 503 and closed.',
    }),
    maxConnectionsPerAddress: setting.integer({
      env: ['POSTRIDER_HTTP_MAX_CONNECTIONS_PER_ADDRESS'],
      default: USUAL_CONNECTIONS_PER_ADDRESS,
      min: 1,
      max: 1_000_000,
      says: 'How many of them one address (of IPv6 a network of 64 bits) may have; not counted with `http.trustedProxies`, where the address is that of a proxy.',
    }),
    resendRequestsPerSecond: setting.integer({
      env: ['POSTRIDER_RESEND_RATE'],
      default: 1000,
      min: 0,
      max: 1_000_000,
      says: 'How many requests a second a company may make of the API of Resend in one process; 0 for any number.',
    }),
  },
} satisfies Settings;

export const httpRules: readonly SettingRule[] = [
  {
    key: 'http.host',
    reads: ['http.host', 'http.apiKey'],
    broken: (get, { development }) =>
      !development && get('http.apiKey') === null && !isLoopbackHost(String(get('http.host')))
        ? 'is reachable from other machines, which needs a key; set POSTRIDER_API_KEY or use 127.0.0.1'
        : null,
  },
];
