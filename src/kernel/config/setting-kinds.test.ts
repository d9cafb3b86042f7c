import { describe, expect, it } from 'vitest';
import { boolean, bytes, choice, duration, integer, list, text, url } from './setting-kinds.js';

const base = { env: [], says: 'A setting.' };

describe('integer', () => {
  const port = integer({ ...base, default: 587, min: 1, max: 65535 });
  it.each([
    ['25', 25],
    [' 25 ', 25],
    [25, 25],
    ['65535', 65535],
  ])('%j → %d', (raw, value) => {
    expect(port.parse(raw)).toEqual({ ok: true, value });
  });
  it.each(['0', '65536', '2.5', '1e3', '0x19', 'smtp', '', ' ', null, true, Number.NaN, 2.5, [25], {}])(
    '%j → refused with the range',
    (raw) => {
      expect(port.parse(raw)).toEqual({ ok: false, reason: 'must be a whole number from 1 to 65535' });
    },
  );
});

describe('duration', () => {
  const poll = duration({ ...base, default: 5000, min: 50, max: 3_600_000, plainUnit: 's' });
  it.each([
    ['5s', 5000],
    ['500ms', 500],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['1.5s', 1500],
    [750, 750],
  ])('%j → %d ms', (raw, value) => {
    expect(poll.parse(raw)).toEqual({ ok: true, value });
  });
  it.each(['5', '5 weeks', '-5s', '10ms', '2h', '0.0001s', 's', ''])('%j → refused', (raw) => {
    expect(poll.parse(raw).ok).toBe(false);
  });
});

describe('bytes', () => {
  const limit = bytes({ ...base, default: 1024, min: 1, max: 1024 ** 3 });
  it.each([
    ['16MB', 16_777_216],
    ['512 kb', 524_288],
    ['1024', 1024],
    [2048, 2048],
    ['1GB', 1024 ** 3],
  ])('%j → %d', (raw, value) => {
    expect(limit.parse(raw)).toEqual({ ok: true, value });
  });
  it.each(['2GB', '1TB', '-1', 'MB', '0.3KB'])('%j → refused', (raw) => {
    expect(limit.parse(raw).ok).toBe(false);
  });
  it('shown in the largest unit that fits', () => {
    expect([16_777_216, 2048, 1000].map((value) => limit.show(value))).toEqual(['16MB', '2KB', '1000']);
  });
});

describe('boolean', () => {
  const enabled = boolean({ ...base, default: true });
  it.each([
    ['true', true],
    ['FALSE', false],
    ['1', true],
    ['off', false],
    [false, false],
  ])('%j → %j', (raw, value) => {
    expect(enabled.parse(raw)).toEqual({ ok: true, value });
  });
  it.each(['maybe', '', 2, null])('%j → refused', (raw) => {
    expect(enabled.parse(raw).ok).toBe(false);
  });
});

describe('choice and list', () => {
  it('a choice nobody offers → the reason lists what there is', () => {
    const mode = choice(['console', 'smtp'], { ...base, default: 'console' });
    expect(mode.parse('smtp')).toEqual({ ok: true, value: 'smtp' });
    expect(mode.parse('resend')).toEqual({
      ok: false,
      reason: 'must be one of those available: console, smtp',
    });
  });
  it('a list → each once, in the order given; one wrong item refuses all', () => {
    const roles = list(['api', 'worker'], { ...base, default: ['api'] });
    expect(roles.parse('worker, api,worker')).toEqual({ ok: true, value: ['worker', 'api'] });
    expect(roles.parse(['api'])).toEqual({ ok: true, value: ['api'] });
    for (const raw of ['api,cook', '', 'api,', [], [1], 7]) expect(roles.parse(raw).ok).toBe(false);
  });
});

describe('text', () => {
  it('control characters → refused', () => {
    const name = text({ ...base, default: null });
    expect(name.parse('Éva')).toEqual({ ok: true, value: 'Éva' });
    expect(name.parse('Eve\r\nBcc: all@example.com')).toEqual({
      ok: false,
      reason: 'must not contain control characters',
    });
  });
  it('null → allowed only where the default is null', () => {
    expect(text({ ...base, default: null }).parse(null)).toEqual({ ok: true, value: null });
    expect(text({ ...base, default: 'x' }).parse(null).ok).toBe(false);
  });
  it('a secret → never shown', () => {
    const key = text({ ...base, default: null, secret: true });
    expect([key.show('s3cret'), key.show(null)]).toEqual(['(hidden)', '–']);
  });
});

describe('url', () => {
  const database = url({ ...base, default: null, schemes: ['postgres', 'postgresql'] });
  it.each(['postgres://u:p@db:5432/app', 'postgresql://u@/app?host=/run/postgresql', 'postgres:///app'])(
    '%s → accepted as written',
    (raw) => {
      expect(database.parse(raw)).toEqual({ ok: true, value: raw });
    },
  );
  it.each(['mysql://db/app', 'db:5432', 'postgres//db', '', 5])('%j → refused', (raw) => {
    expect(database.parse(raw).ok).toBe(false);
  });
  it.each([
    ['postgres://u:p%40ss@db/app', 'postgres://u:***@db/app'],
    ['postgres://u:p@ss:w@db/app', 'postgres://u:***@db/app'],
    ['postgres://:pw@/app', 'postgres://:***@/app'],
    [
      'postgres://db/app?user=u&password=pw&sslmode=require',
      'postgres://db/app?user=u&password=***&sslmode=require',
    ],
    ['postgres://u@db/app', 'postgres://u@db/app'],
  ])('%s → shown as %s', (raw, shown) => {
    expect(database.show(raw)).toBe(shown);
  });
});
