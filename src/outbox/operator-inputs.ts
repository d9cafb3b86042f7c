import { z } from 'zod';
import {
  type Field,
  field,
  fields,
  invalidPayload,
  isUuid,
  needed,
  oneOf,
  parseMoment,
  type ReadOf,
} from '../kernel/index.js';
import { EMAIL_STATUSES } from './transition-table.js';

/**
 * What operators say about many emails: filters, pages, which dead letters, what is paused, whom to forget. Rooms read
 * with these and the description of the API is made of them. Reading what was read before changes nothing.
 */
const MOST_DAYS = 3650;
const MAX_ID = 128;
const MOST_PAGES = 200;

const days = field.own(
  () => z.number().positive().max(MOST_DAYS),
  (input, name): number => {
    if (typeof input === 'number' && input > 0 && input <= MOST_DAYS) return input;
    throw invalidPayload(name, `must be a number above 0 and up to ${MOST_DAYS}`);
  },
);
const moment = field.dayOrMoment();
const word = field.line(1000);

const WHICH = { companyId: word, type: word, recipient: field.mailbox(), days, from: moment, to: moment };
export const EMAIL_FILTER_FIELDS = {
  ...WHICH,
  ...{ status: field.choice(['all', ...EMAIL_STATUSES]), userId: word, provider: word, messageId: word },
} as const;
export const DEAD_LETTER_FIELDS = {
  ...WHICH,
  ...{ status: field.choice(['failed', 'unknown', 'all']), errorCode: word },
} as const;
const CANCEL_FIELDS = {
  ...WHICH,
  status: field.choice(['scheduled', 'pending', 'retry', 'processing', 'all']),
} as const;

/** What the times of a filter say together. */
export function agreeingTimes(
  { days: some, from, to }: { days?: number; from?: Date | string; to?: Date | string },
  at: (name: string) => string,
): void {
  if (some !== undefined && from !== undefined)
    throw invalidPayload(at('days'), 'and from say the same thing twice; give one of them');
  if (from === undefined || to === undefined) return;
  if (parseMoment(to, at('to'), { end: true }) <= parseMoment(from, at('from')))
    throw invalidPayload(at('to'), 'must be later than from');
}

export const EMAIL_FILTER = fields(EMAIL_FILTER_FIELDS, { together: agreeingTimes });
const { status: _any, ...anyStatus } = EMAIL_FILTER_FIELDS;
export const STATS_FILTER = fields(anyStatus, { together: agreeingTimes });
export const DEAD_LETTER_FILTER = fields(DEAD_LETTER_FIELDS, { together: agreeingTimes });
export const CANCEL_FILTER = fields(CANCEL_FIELDS, {
  together(given, at) {
    agreeingTimes(given, at);
    if (Object.keys(given).length === 0)
      throw invalidPayload(at('status'), 'all must be said to cancel everything that waits');
  },
});
export type ReadEmailFilter = ReadOf<typeof EMAIL_FILTER_FIELDS>;

export const PAGE_FIELDS = {
  limit: field.whole(1, 200),
  cursor: field.own(
    () => z.guid(),
    (input, name): string => {
      if (isUuid(input)) return input.toLowerCase();
      throw invalidPayload(name, 'is not one that a page gave');
    },
  ),
  page: field.own(
    () => z.int().min(1).max(MOST_PAGES),
    (input, name): number => {
      if (Number.isInteger(input) && Number(input) >= 1 && Number(input) <= MOST_PAGES) return Number(input);
      throw invalidPayload(name, `must be a whole number from 1 to ${MOST_PAGES}; cursors lead further`);
    },
    'Far pages would be counted through from the first; cursors lead further.',
  ),
} as const;
/** A user's own emails, where no cursor leads further. */
export const USER_PAGE_FIELDS = { page: field.whole(1, MOST_PAGES), limit: field.whole(1, 100) } as const;

const exactly = (a: string, b: string, whose: string) => (given: Record<string, unknown>, place: string) => {
  const isFirst = given[a] !== undefined;
  if (isFirst !== (given[b] !== undefined)) return isFirst ? a : b;
  const at = place === '' ? a : `${place}.${a}`;
  throw invalidPayload(at, `or ${b} ${whose}, one of the two`);
};

const emailIds = field.list(field.uuid('the id of an email'), 'ids', { min: 1, max: 10_000 });

/**
 * All of everything is a filter too, but one that has to be written down; `also` goes with either. A filter names its
 * company itself: one beside it would narrow nothing, so `withIds` goes with ids alone.
 */
export function whichDeadLetters<
  const Also extends Record<string, Field<unknown>>,
  const WithIds extends Record<string, Field<unknown>> = Record<never, never>,
>(also: Also, withIds: WithIds = {} as WithIds) {
  return oneOf(
    {
      emailIds: fields({ emailIds: needed(emailIds), ...also, ...withIds }),
      filter: fields({ filter: needed(DEAD_LETTER_FILTER), ...also }),
    },
    exactly('emailIds', 'filter', 'must say which dead letters are meant') as () => 'emailIds' | 'filter',
  );
}

const messageIds = field.list(field.line(255), 'ids', { min: 1, max: 1000 });
const all = field.own(
  () => z.literal(true),
  (input, name): true => {
    if (input === true) return true;
    throw invalidPayload(name, 'must be true');
  },
);

/** Messages of a dead-letter queue. */
export function whichMessages<const Also extends Record<string, Field<unknown>>>(also: Also) {
  return oneOf(
    {
      messageIds: fields({ messageIds: needed(messageIds), ...also }),
      all: fields({ all: needed(all), ...also }),
    },
    exactly('messageIds', 'all', 'must say which messages are meant') as () => 'messageIds' | 'all',
  );
}
export const MESSAGE_PAGE_FIELDS = { limit: field.whole(1, 1000) } as const;

const company = field.line(MAX_ID);
/** One person, to be taken out of everything. */
export const PERSON = oneOf(
  {
    email: fields({ email: needed(field.mailbox()), companyId: company }),
    externalId: fields({
      externalId: needed(field.line(MAX_ID)),
      companyId: needed(company, 'is needed with externalId, which means someone else in another company'),
    }),
  },
  exactly('email', 'externalId', 'says who is meant') as () => 'email' | 'externalId',
);

export const PAUSE_SCOPES = ['all', 'tenant', 'type', 'route'] as const;
const PAUSED_NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** What a pause holds back; `value` names it, but where it is everything. */
export function whatIsPaused<const Also extends Record<string, Field<unknown>>>(also: Also) {
  const named = <Scope extends string>(scope: Scope) =>
    fields({
      scope: needed(field.choice<Scope>([scope])),
      value: needed(
        field.pattern(PAUSED_NAME, `the name of the ${scope} meant`),
        `must name the ${scope} meant`,
      ),
      ...also,
    });
  const nothing = field.own(
    () => z.literal(''),
    (input, name): string => {
      if (input === '') return '';
      throw invalidPayload(name, 'is not said when all is meant');
    },
  );
  return oneOf(
    {
      all: fields({ scope: needed(field.choice<'all'>(['all'])), value: nothing, ...also }),
      ...{ tenant: named('tenant'), type: named('type'), route: named('route') },
    },
    ({ scope }) => field.choice(PAUSE_SCOPES).read(scope ?? '', 'scope')!,
  );
}

/** The same in a query, where it is one list of names. */
export function pausedInQuery() {
  const meant = whatIsPaused({});
  return fields(
    {
      scope: needed(field.choice(PAUSE_SCOPES), `must be one of ${PAUSE_SCOPES.join(', ')}`),
      value: field.text(),
    },
    { together: (given) => void meant.read(given, '') },
  );
}
