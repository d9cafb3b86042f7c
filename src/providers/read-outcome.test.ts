import { expect, it } from 'vitest';
import { readOutcome } from './read-outcome.js';

const failure = {
  ...{ kind: 'deferred', scope: 'route', code: 'BUSY', category: 'TRANSIENT_ERROR', message: 'later' },
  trace: { stage: 'connect' },
};

it.each([
  ['nothing', undefined],
  ['null', null],
  ['a word', 'sent'],
  ['an object of another kind', { outcome: 'sent' }],
  ['a kind we do not know', { ...failure, kind: 'delivered' }],
  ['a failure without a code', { ...failure, code: undefined }],
  ['a failure without a trace', { ...failure, trace: null }],
])('%s → no outcome', (_, returned) => {
  expect(readOutcome(returned)).toBeUndefined();
});

it('a failure that says all it must → as it is', () => {
  expect(readOutcome(failure)).toBe(failure);
});

it('sent, and no more said → sent: a repeat would be a second copy', () => {
  expect(readOutcome({ kind: 'sent' })).toEqual({
    ...{ kind: 'sent', providerMessageId: null, trace: { stage: 'unknown' } },
  });
  const whole = { kind: 'sent', providerMessageId: 'x', trace: { stage: 'reply' } };
  expect(readOutcome(whole)).toEqual(whole);
});
