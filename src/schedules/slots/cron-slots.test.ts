import { describe, expect, it } from 'vitest';
import { checkCron, cronSlots } from './cron-slots.js';
import { instantOf, isTimeZone, startOfDay, wallTimeOf } from './wall-time.js';

const at = (text: string) => Date.parse(text);
const shown = (slots: Array<number | null>) =>
  slots.map((slot) => (slot === null ? null : new Date(slot).toISOString().replace(':00.000Z', 'Z')));
const all = (cron: string, zone: string, from: string, to: string) =>
  shown(cronSlots(cron, zone).between(at(from), at(to), 1000));

describe('an hour that is skipped', () => {
  it('02:30 in Berlin on 29 March 2026 → once, at 03:00 summer time; the day after at 02:30 again', () => {
    expect(all('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', '2026-03-30T12:00Z')).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-30T00:30Z',
    ]);
  });

  it('02:30 in New York on 8 March 2026 → once, at 03:00', () => {
    expect(all('30 2 * * *', 'America/New_York', '2026-03-07T12:00Z', '2026-03-09T12:00Z')).toEqual([
      '2026-03-08T07:00Z',
      '2026-03-09T06:30Z',
    ]);
  });

  it('02:15 on Lord Howe on 4 October 2026, whose gap is half an hour → once, at 02:30', () => {
    expect(all('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00Z', '2026-10-04T16:00Z')).toEqual([
      '2026-10-03T15:30Z',
      '2026-10-04T15:15Z',
    ]);
  });

  it('every quarter of an hour across the gap → the skipped ones and the first after it are one', () => {
    expect(all('*/15 * * * *', 'Europe/Berlin', '2026-03-29T00:30Z', '2026-03-29T01:15Z')).toEqual([
      '2026-03-29T00:45Z',
      '2026-03-29T01:00Z',
      '2026-03-29T01:15Z',
    ]);
  });

  it('a day that was skipped whole (Samoa, 30 December 2011) → its slot fires at the start of the next', () => {
    expect(all('0 9 30 12 *', 'Pacific/Apia', '2011-12-01T00:00Z', '2012-01-31T00:00Z')).toEqual([
      '2011-12-30T10:00Z',
    ]);
  });
});

describe('an hour that is repeated', () => {
  it('02:30 in Berlin on 25 October 2026 → once, in the first pass', () => {
    expect(all('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', '2026-10-26T12:00Z')).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
    ]);
  });

  it('01:30 in New York on 1 November 2026 → once, in the first pass', () => {
    expect(all('30 1 * * *', 'America/New_York', '2026-10-31T12:00Z', '2026-11-02T12:00Z')).toEqual([
      '2026-11-01T05:30Z',
      '2026-11-02T06:30Z',
    ]);
  });

  it('01:45 on Lord Howe on 5 April 2026 → once', () => {
    expect(all('45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T00:00Z', '2026-04-05T23:00Z')).toEqual([
      '2026-04-04T14:45Z',
      '2026-04-05T15:15Z',
    ]);
  });

  it('asked in the second pass → what fired in the first is the latest and does not come again', () => {
    const slots = cronSlots('*/30 * * * *', 'Europe/Berlin');
    const secondPass = at('2026-10-25T01:10Z'); // 02:10 for the second time
    expect(shown([slots.latest(secondPass), slots.next(secondPass)])).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-25T02:00Z',
    ]);
  });
});

describe('zones without changes', () => {
  it.each([
    ['Asia/Kolkata', '2026-03-28T12:30Z'],
    ['Asia/Kathmandu', '2026-03-28T12:15Z'],
    ['UTC', '2026-03-28T18:00Z'],
    ['Pacific/Kiritimati', '2026-03-28T04:00Z'],
  ])('18:00 in %s → the same instant every day', (zone, first) => {
    const slots = cronSlots('0 18 * * *', zone);
    const found = slots.between(at(first) - 1, at(first) + 400 * 86_400_000, 1000);
    expect(shown(found.slice(0, 1))).toEqual([first]);
    expect(found.every((slot) => (slot - at(first)) % 86_400_000 === 0)).toBe(true);
    expect(found).toHaveLength(401);
  });
});

describe('looking back and forward', () => {
  it.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'Asia/Kolkata'])(
    'a year of hours in %s → the latest is the last of those before, the next is the first after',
    (zone) => {
      const slots = cronSlots('20 */2 * * *', zone);
      const from = at('2026-01-01T00:00Z');
      const known = slots.between(from - 86_400_000, from + 366 * 86_400_000, 10_000);
      for (let now = from; now < from + 365 * 86_400_000; now += 29 * 1_717_000) {
        expect(slots.latest(now)).toBe(known.findLast((slot) => slot <= now));
        expect(slots.next(now)).toBe(known.find((slot) => slot > now));
      }
    },
  );

  it('the very instant of a slot → it is the latest, not the next', () => {
    const slots = cronSlots('0 9 * * 1', 'UTC');
    const monday = at('2026-11-16T09:00Z');
    expect(
      shown([slots.latest(monday), slots.latest(monday - 1), slots.next(monday - 1), slots.next(monday)]),
    ).toEqual(['2026-11-16T09:00Z', '2026-11-09T09:00Z', '2026-11-16T09:00Z', '2026-11-23T09:00Z']);
  });
});

describe('what is refused', () => {
  it.each([
    ['* * * * * *', 'six fields'],
    ['every day', 'no pattern'],
    ['0 25 * * *', 'no such hour'],
    ['0 0 30 2 *', 'never'],
  ])('%s (%s) → INVALID_CONFIG', (cron) => {
    expect(() => checkCron(cron)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }));
  });

  it('a zone that does not exist → INVALID_CONFIG', () => {
    expect(isTimeZone('Europe/Atlantis')).toBe(false);
    expect(() => cronSlots('0 9 * * *', 'Europe/Atlantis')).toThrow(/not a time zone/);
  });
});

describe('wall time', () => {
  it('to wall time and back → the same instant, or the first pass of a repeated hour', () => {
    for (const zone of ['Europe/Berlin', 'Australia/Lord_Howe', 'America/St_Johns', 'Asia/Kathmandu']) {
      for (let now = at('2026-01-01T00:00Z'); now < at('2027-01-01T00:00Z'); now += 9_234_567) {
        const back = instantOf(wallTimeOf(now, zone), zone);
        expect(now - back === 0 || now - back === 3_600_000 || now - back === 1_800_000).toBe(true);
      }
    }
  });

  it('the start of a day of 23 hours and of the days around it', () => {
    const noon = at('2026-03-29T10:00Z');
    expect(shown([-1, 0, 1].map((days) => startOfDay(noon, 'Europe/Berlin', days)))).toEqual([
      '2026-03-27T23:00Z',
      '2026-03-28T23:00Z',
      '2026-03-29T22:00Z',
    ]);
  });
});
