import { type SettingRule, type Settings, setting } from '../../kernel/index.js';

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
      says: 'The key of operators, as `Authorization: Bearer …`, which may do everything; without it loopback is open and nobody else is served.',
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
      says: 'The largest request body that is read.',
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
      !development && get('http.apiKey') === null && !isLoopback(String(get('http.host')))
        ? 'is reachable from other machines, which needs a key; set POSTRIDER_API_KEY or use 127.0.0.1'
        : null,
  },
];

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
