import { describe, expect, test } from 'vitest';
import { inKeptSteps, momentText, tallyPieces } from './tally-pieces.js';

const at = (text: string) => new Date(`2030-05-${text}:00Z`);

function shown(since?: Date, until?: Date): Record<string, string[]> {
  const pieces = tallyPieces(since, until);
  const show = (ms: number) => momentText(ms).slice(8, 16);
  return Object.fromEntries(
    Object.entries(pieces).map(([name, list]) => [
      name,
      (list as Array<readonly [number, number]>).map(([from, to]) => `${show(from)} ${show(to)}`),
    ]),
  );
}

describe('a stretch of time cut where the tallies are', () => {
  test('days and a bit on both sides → whole days, hours and five minutes, each moment once', () => {
    expect(shown(at('03T21:52'), at('06T02:12'))).toEqual({
      days: ['04T00:00 06T00:00'],
      hours: ['03T22:00 04T00:00', '06T00:00 06T02:00'],
      steps: ['03T21:50 03T22:00', '06T02:00 06T02:15'],
    });
  });

  test('within one day, within one hour → no day, no hour', () => {
    expect(shown(at('03T09:30'), at('03T11:30'))).toEqual({
      days: [],
      hours: ['03T10:00 03T11:00'],
      steps: ['03T09:30 03T10:00', '03T11:00 03T11:30'],
    });
    expect(shown(at('03T09:10'), at('03T09:20'))).toEqual({
      days: [],
      hours: [],
      steps: ['03T09:10 03T09:20'],
    });
  });

  test('open ends → days without end', () => {
    expect(tallyPieces(undefined, undefined)).toEqual({
      days: [[Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]],
      hours: [],
      steps: [],
    });
    expect(tallyPieces(at('03T00:00'), undefined).days).toEqual([
      [at('03T00:00').getTime(), Number.POSITIVE_INFINITY],
    ]);
    expect(momentText(Number.NEGATIVE_INFINITY)).toBe('-infinity');
  });

  test('an end of whose time there are days alone → taken to the day; a later one as it is', () => {
    const fineFrom = at('05T00:00').getTime();
    expect(inKeptSteps({ since: at('03T21:52'), until: at('06T02:12') }, fineFrom)).toEqual({
      since: at('03T00:00'),
      until: at('06T02:12'),
    });
    expect(inKeptSteps({ since: at('03T21:52'), until: at('04T02:12') }, fineFrom).until).toEqual(
      at('05T00:00'),
    );
    expect(inKeptSteps({}, fineFrom)).toEqual({ since: undefined, until: undefined });
  });
});
