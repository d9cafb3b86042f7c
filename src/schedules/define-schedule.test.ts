import { describe, expect, it } from 'vitest';
import { builtInSchedules } from './campaigns/built-in-schedules.js';
import { focusFromActivity } from './campaigns/focus-content.js';
import { defineSchedule, type ScheduleDeclaration } from './define-schedule.js';
import { dueSlots } from './fire-slots.js';

const nothing = (): null => null;
const declared = (parts: object = {}) =>
  defineSchedule({
    name: 'digest',
    cron: '0 9 * * *',
    campaign: { audience: {}, email: nothing },
    ...parts,
  } as ScheduleDeclaration as never);

describe('a declaration', () => {
  it('with the least → its defaults', () => {
    expect(declared()).toMatchObject({ timeZone: null, catchUp: 'last', withinMs: null });
  });
  it.each([
    [{ name: '1st' }, 'letter'],
    [{ cron: '0 9 * *' }, 'five fields'],
    [{ cron: '0 0 31 2 *' }, 'never'],
    [{ timeZone: 'Europe/Atlantis' }, 'Atlantis'],
    [{ catchUp: 'some' }, 'none, last, all'],
    [{ within: '6 hours' }, '6h'],
    [{ catchup: 'all' }, 'catchUp'],
    [{ campaign: { audience: {}, email: nothing, notAgainForDays: 0.5 } }, 'whole number'],
    [{ timeZone: 'recipient', campaign: { audience: () => {}, key: String, email: nothing } }, 'query'],
    [{ campaign: { audience: { optIn: 'x' }, email: nothing } }, 'optedIn'],
  ])('%j → INVALID_CONFIG that says %s', (parts, says) => {
    expect(() => declared(parts)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }));
    expect(() => declared(parts)).toThrow(says);
  });
});

describe('what is due', () => {
  const at = (text: string) => Date.parse(text);
  const after = { zone: 'UTC', firesAfter: at('2026-05-01T09:00Z') };
  it.each([
    ['none', 30, 1],
    ['none', 90, 0],
    ['last', 90, 1],
    ['all', 90, 3],
  ] as const)('catchUp %s, seen %i s after the third slot → %i', (catchUp, seconds, count) => {
    const schedule = { cron: '0 9 * * *', catchUp, withinMs: null };
    expect(dueSlots(schedule, after, at('2026-05-04T09:00Z') + seconds * 1000)).toHaveLength(count);
  });
});

describe('the built-in schedules', () => {
  const settings = {
    builtIn: ['weekly_focus', 'checkin_reminder', 'streak_warning', 'inactivity'],
    weeklyFocusDay: 'sunday',
    weeklyFocusHour: 7,
    reminderHour: 19,
    streakWarningHour: 21,
    inactivityDay: 'thursday',
    inactivityHour: 11,
  };
  it('settings → the days and hours they fire at', () => {
    expect(builtInSchedules(settings).map(({ name, cron }) => [name, cron])).toEqual([
      ['weekly_focus', '0 7 * * 0'],
      ['checkin_reminder', '0 19 * * *'],
      ['streak_warning', '0 21 * * *'],
      ['inactivity', '0 11 * * 4'],
    ]);
  });
  it('only some, or none → only those', () => {
    expect(builtInSchedules({ ...settings, builtIn: ['inactivity'] }).map(({ name }) => name)).toEqual([
      'inactivity',
    ]);
    expect(builtInSchedules({ ...settings, builtIn: ['none'] })).toEqual([]);
  });
});

describe('the weekly focus', () => {
  const slot = new Date('2026-05-04T09:00Z');
  const ago = (days: number) => new Date(slot.getTime() - days * 86_400_000);
  const person = {
    recipientId: 'r',
    companyId: 'acme',
    externalId: null,
    email: 'ada@example.com',
    name: 'Ada',
    language: 'en',
    timeZone: null,
    accountType: 'trial',
    attributes: {},
    streakDays: 0,
    lastCheckInAt: null,
    lastActiveAt: null,
    createdAt: ago(60),
    recentActivity: [],
  };
  const occasion = { schedule: 'weekly_focus', runId: 'x', zone: 'UTC', slot };
  const focus = (parts: object) => focusFromActivity({ ...person, ...parts }, occasion);

  it('different activity → different content', async () => {
    const cases = await Promise.all([
      focus({}),
      focus({ lastActiveAt: ago(20) }),
      focus({ lastActiveAt: ago(1), streakDays: 2 }),
      focus({ lastCheckInAt: ago(1), streakDays: 9 }),
      focus({ lastActiveAt: ago(1), recentActivity: [{ kind: 'meeting', days: 5, count: 12 }] }),
    ]);
    expect(new Set(cases.map(({ topic }) => topic)).size).toBe(5);
    expect(cases[4]!.summary).toContain('meeting (12)');
    expect(cases[4]!.actions.at(-1)!.title).toContain('meeting');
    expect(cases[3]!.summary).toContain('9 days in a row');
  });
  it('their language, or English → the words of it', async () => {
    expect((await focus({ language: 'de-AT' })).topic).toBe('Ein erster Schritt');
    expect((await focus({ language: 'ko' })).topic).toBe('첫걸음');
    expect((await focus({ language: 'fr' })).topic).toBe('A first step');
  });
});
