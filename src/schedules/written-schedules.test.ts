import { expect, it } from 'vitest';
import type { QueryCampaign } from './campaign.js';
import { parseWrittenSchedules, scheduleOf } from './written-schedules.js';

const note = {
  name: 'monday_note',
  cron: '0 8 * * 1',
  timeZone: 'recipient',
  audience: { status: 'active', optedIn: 'notes' },
  notAgainForDays: 7,
  type: 'reminder',
  data: { title: 'A new week' },
  dataFrom: { name: 'name', note: 'attributes.note', plan: 'attributes.plan' },
};

it('written down in full → a schedule whose data is taken from the recipient', () => {
  const read = parseWrittenSchedules([note]);
  if (!read.ok) throw new Error(read.reason);
  const schedule = scheduleOf(read.value[0]!);
  expect(schedule).toMatchObject({ name: 'monday_note', timeZone: 'recipient', catchUp: 'last' });
  const { email, notAgainForDays } = schedule.campaign as QueryCampaign;
  expect(notAgainForDays).toBe(7);
  const person = { name: null, attributes: { note: 'Call Ada' } };
  expect(email(person as never, {} as never)).toEqual({
    type: 'reminder',
    data: { title: 'A new week', note: 'Call Ada' },
  });
});

it.each([
  ['no list', {}, 'list of schedules'],
  ['an unknown key', [{ ...note, crn: 'x' }], 'crn'],
  ['raw SQL as a criterion', [{ ...note, audience: { where: '1=1' } }], 'where'],
  ['no pattern', [{ ...note, cron: 'daily' }], 'cron pattern'],
  ['no such zone', [{ ...note, timeZone: 'Mars' }], 'Mars'],
  ['two of one name', [note, note], 'one name'],
  ['a field nobody has', [{ ...note, dataFrom: { a: 'constructor' } }], 'dataFrom'],
])('%s → refused with the reason', (_, raw, says) => {
  expect(parseWrittenSchedules(raw)).toEqual({ ok: false, reason: expect.stringContaining(says) });
});
