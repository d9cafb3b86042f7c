import { describe, expect, it, vi } from 'vitest';
import type { BusEvent, HandlingContext } from '../../events/index.js';
import { PostriderError } from '../../kernel/index.js';
import { emailsFromEvents } from './emails-from-events.js';
import { parseEventEmails } from './event-emails.js';
import { fillPattern } from './fill-pattern.js';

const event: BusEvent = {
  ...{ id: 'e1', type: 'user.registered', source: 'wms-a', companyId: 'acme', processAfterDelayMs: null },
  occurredAt: '2026-01-01T00:00:00.000Z',
  data: { email: 'ann@example.net', nested: { code: 7 }, list: ['a'], nothing: null },
};
const fine = { type: 'welcome', to: '$data.email' };

describe('what is written down about emails of events', () => {
  it('one email or several per type → taken', () => {
    expect(parseEventEmails({ a: fine, b: [fine, { ...fine, companyId: '$companyId' }] })).toMatchObject({
      ok: true,
    });
  });

  it.each<[string, unknown, RegExp]>([
    ['nothing', {}, /at least one/],
    ['a list', [fine], /at least one/],
    ['no email', { a: [] }, /at least one email/],
    ['a text', { a: 'welcome' }, /must be an object/],
    ['an unknown field', { a: { ...fine, subjct: 'x' } }, /did you mean subject/],
    ['nobody', { a: { type: 'welcome' } }, /to whom/],
    ['no content', { a: { to: '$data.email' } }, /needs a type/],
    [
      'a path that is none',
      { a: { ...fine, data: { x: '$data..y' } } },
      /a\.data\.x: \$data\.\.y is no path/,
    ],
    ['a path from nowhere', { a: { ...fine, lang: '$language' } }, /must begin with/],
    ['an event about emails', { 'email.sent': fine }, /start another/],
    ['a type with spaces', { 'user registered': fine }, /without spaces/],
  ])('%s → refused with the reason', (_, raw, reason) => {
    const parsed = parseEventEmails(raw);
    expect(parsed).toMatchObject({ ok: false, reason: expect.stringMatching(reason) });
  });
});

describe('an email of an event', () => {
  it('paths, constants, dollars and what may be missing → filled in', () => {
    const pattern = {
      ...{
        to: '$data.email',
        type: 'welcome',
        companyId: '$companyId',
        lang: '$data.language?',
        priority: 2,
      },
      data: { code: '$data.nested.code', first: '$data.list.0', price: '$$5', all: ['$data.email', 'x'] },
    };
    expect(fillPattern(pattern, event)).toEqual({
      email: {
        ...{ to: 'ann@example.net', type: 'welcome', companyId: 'acme', priority: 2 },
        data: { code: 7, first: 'a', price: '$5', all: ['ann@example.net', 'x'] },
      },
    });
  });

  it.each(['$data.phone', '$data.nothing', '$data.email.length', '$data.constructor', '$data.list.length.x'])(
    '%s leads nowhere → said',
    (path) => {
      expect(fillPattern({ to: path }, event)).toEqual({ missing: path.slice(1) });
    },
  );
});

describe('taking an event', () => {
  const handle = (take: () => Promise<void>, seen: Partial<BusEvent> = {}) => {
    const [only] = emailsFromEvents({ 'user.registered': fine }, take);
    return only![1]({ ...event, ...seen }, {} as HandlingContext);
  };

  it('accepted → 200, with the event and its emails', async () => {
    const take = vi.fn(async () => {});
    expect(await handle(take)).toBe(200);
    expect(take).toHaveBeenCalledWith(event, [{ type: 'welcome', to: 'ann@example.net' }]);
  });

  it('no id, or a value missing → refused before anything is taken', async () => {
    const take = vi.fn(async () => {});
    expect(await handle(take, { id: null })).toMatchObject({ status: 400 });
    expect(await handle(take, { data: {} })).toEqual({
      ...{ status: 422, error: 'the event has no data.email', field: 'data.email' },
    });
    expect(take).not.toHaveBeenCalled();
  });

  it('refused by intake → the status of the error; anything else → thrown', async () => {
    const refused = async () => {
      throw new PostriderError('RATE_LIMITED', 'too many');
    };
    expect(await handle(refused)).toEqual({ status: 429, error: 'RATE_LIMITED: too many' });
    const broken = async () => {
      throw new Error('broken');
    };
    await expect(handle(broken)).rejects.toThrow('broken');
  });
});
