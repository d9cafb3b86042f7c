import { describe, expect, it } from 'vitest';
import { explain } from './explain.js';
import { joinSettings } from './join-settings.js';
import { resolveSettings, type SettingSources } from './resolve-settings.js';
import { Derived, type Settings } from './setting.js';
import { duration, integer, text } from './setting-kinds.js';

const settings = joinSettings({
  smtp: {
    host: text({ env: ['SMTP_HOST'], default: null, says: 'Host.' }),
    port: integer({ env: ['SMTP_PORT', 'MAIL_PORT'], default: 587, min: 1, max: 65535, says: 'Port.' }),
    password: text({ env: ['SMTP_PASSWORD'], default: null, secret: true, says: 'Password.' }),
  },
  worker: {
    pollMs: duration({
      env: ['POLL', { name: 'POLL_MINUTES', plainUnit: 'm' }],
      default: 5000,
      min: 1,
      max: 3_600_000,
      plainUnit: 's',
      says: 'Poll.',
    }),
    name: text({
      env: ['POSTRIDER_NAME_OF_WORKER'],
      default: new Derived((get) => `to ${get('smtp.host')}`, 'the host'),
      says: 'Name.',
    }),
  },
} satisfies Settings);

function resolve(sources: Partial<SettingSources> & { content?: unknown } = {}) {
  const file =
    sources.content === undefined ? null : { path: 'postrider.config.json', content: sources.content };
  return resolveSettings(settings, { environment: {}, file, ...sources });
}

function configOf(sources: Parameters<typeof resolve>[0]) {
  const resolved = resolve(sources);
  if (!resolved.ok) throw new Error(JSON.stringify(resolved.problems));
  return resolved.config;
}

function problemsOf(sources: Parameters<typeof resolve>[0]) {
  const resolved = resolve(sources);
  return resolved.ok ? [] : resolved.problems;
}

describe('precedence', () => {
  it('nothing said → defaults, derived ones from what they follow', () => {
    expect(configOf({})).toEqual({
      smtp: { host: null, port: 587, password: null },
      worker: { pollMs: 5000, name: 'to null' },
    });
    expect(configOf({ environment: { SMTP_HOST: 'mail' } }).worker.name).toBe('to mail');
  });
  it('file < environment < options; what lost is named', () => {
    const content = { smtp: { port: 1 } };
    const environment = { SMTP_PORT: '2', MAIL_PORT: '3' };
    expect(configOf({ content }).smtp.port).toBe(1);
    expect(configOf({ content, environment }).smtp.port).toBe(2);
    const config = configOf({ content, environment, overrides: { smtp: { port: 4 } } });
    expect(config.smtp.port).toBe(4);
    expect(explain(config).find((row) => row.key === 'smtp.port')).toMatchObject({
      value: '4',
      default: '587',
      source: 'options',
      differs: true,
      ignored: ['SMTP_PORT', 'MAIL_PORT', 'postrider.config.json'],
    });
  });
  it('an empty variable or an undefined option → counts as not said', () => {
    const sources = {
      environment: { SMTP_PORT: '', MAIL_PORT: '3' },
      overrides: { smtp: { port: undefined } },
    };
    expect(configOf(sources).smtp.port).toBe(3);
  });
  it('null in options → unsets what the environment says', () => {
    const sources = { environment: { SMTP_HOST: 'mail' }, overrides: { smtp: { host: null } } };
    expect(configOf(sources).smtp.host).toBeNull();
  });
  it("a plain number → has the variable's own unit", () => {
    expect(configOf({ environment: { POLL: '2' } }).worker.pollMs).toBe(2000);
    expect(configOf({ environment: { POLL_MINUTES: '2' } }).worker.pollMs).toBe(120_000);
    expect(configOf({ environment: { POLL_MINUTES: '250ms' } }).worker.pollMs).toBe(250);
    expect(configOf({ content: { worker: { pollMs: 250 } } }).worker.pollMs).toBe(250);
  });
  it('a config → cannot be changed afterwards', () => {
    const config = configOf({});
    expect(() => Object.assign(config.smtp, { port: 1 })).toThrow(TypeError);
  });
});

describe('problems', () => {
  it('several mistakes in several places → all reported at once, each with its source', () => {
    const problems = problemsOf({
      overrides: { smpt: { host: 'x' } },
      environment: { SMTP_PORT: 'abc', POSTRIDER_NAME_OF_WORKR: 'x' },
      content: { smtp: { hostname: 'x' }, worker: 5 },
    });
    expect(problems).toEqual([
      { key: 'smpt', source: 'options', message: 'is not a setting; did you mean smtp' },
      {
        key: 'smtp.hostname',
        source: 'postrider.config.json',
        message: 'is not a setting; did you mean smtp.host',
      },
      { key: 'worker', source: 'postrider.config.json', message: 'must be an object with pollMs, name' },
      {
        key: 'POSTRIDER_NAME_OF_WORKR',
        source: 'environment',
        message: 'is not a setting; did you mean POSTRIDER_NAME_OF_WORKER',
      },
      {
        key: 'smtp.port',
        source: 'SMTP_PORT',
        message: 'is "abc" but must be a whole number from 1 to 65535',
      },
    ]);
  });
  it('an option of a strange type → refused, whatever it is', () => {
    for (const port of [5n, Symbol('p'), () => 1, {}, [1]])
      expect(problemsOf({ overrides: { smtp: { port } } })).toHaveLength(1);
  });
  it('a wrong secret → its value is not repeated', () => {
    const [problem] = problemsOf({ environment: { SMTP_PASSWORD: 'hunter2\n' } });
    expect(problem).toEqual({
      key: 'smtp.password',
      source: 'SMTP_PASSWORD',
      message: 'must not contain control characters',
    });
  });
  it("a variable's name used as a key → the key is suggested", () => {
    expect(problemsOf({ content: { SMTP_HOST: 'x' } })[0]?.message).toBe(
      'is not a setting; did you mean smtp.host',
    );
  });
  it.each(['{"__proto__": {"port": 1}}', '{"constructor": {}}', '{"smtp": {"__proto__": 1}}'])(
    'prototype keys %s → refused like any unknown key',
    (json) => {
      expect(problemsOf({ content: JSON.parse(json) })).toHaveLength(1);
    },
  );
  it.each([[[]], ['text'], [null], [5]])('a file holding %j → refused', (content) => {
    expect(problemsOf({ content })).toEqual([
      { key: 'postrider.config.json', source: 'postrider.config.json', message: 'must hold one JSON object' },
    ]);
  });
  it('variables Kubernetes sets for a service called postrider → no mistake', () => {
    const environment = {
      POSTRIDER_SERVICE_HOST: '10.0.0.1',
      POSTRIDER_SERVICE_PORT_HTTP: '80',
      POSTRIDER_PORT: 'tcp://10.0.0.1:80',
      POSTRIDER_PORT_80_TCP_ADDR: '10.0.0.1',
      POSTRIDER_CONFIG: 'x.json',
    };
    expect(problemsOf({ environment })).toEqual([]);
    expect(problemsOf({ environment: { POSTRIDER_PORT_NUMBER: '80' } })).toHaveLength(1);
  });
});

describe('rules', () => {
  const rules = [
    {
      key: 'smtp.password',
      reads: ['smtp.host', 'smtp.port'],
      broken: (get: (key: string) => unknown) => (get('smtp.host') === 'mail' ? 'is needed for mail' : null),
    },
  ];
  it('broken → a problem of the setting to change', () => {
    expect(problemsOf({ rules, environment: { SMTP_HOST: 'mail' } })).toEqual([
      { key: 'smtp.password', source: 'default', message: 'is needed for mail' },
    ]);
    expect(problemsOf({ rules })).toEqual([]);
  });
  it('one of what it reads is wrong itself → only that is reported', () => {
    const problems = problemsOf({ rules, environment: { SMTP_HOST: 'mail', SMTP_PORT: 'x' } });
    expect(problems.map((problem) => problem.key)).toEqual(['smtp.port']);
  });
});

describe('joinSettings', () => {
  const one = { a: { x: text({ env: ['X'], default: null, says: 'X.' }) } };
  it('one key or one variable declared twice → refused', () => {
    expect(() => joinSettings(one, one)).toThrow('a.x is declared twice');
    expect(() => joinSettings(one, { b: one.a })).toThrow('X is read by two settings');
  });
});
