import { expect, it } from 'vitest';
import { checkProvider } from './check-provider.js';

const whole = { name: 'mine', send: () => {}, testConnection: () => {}, close: () => {} };

it('all there → fine', () => {
  expect(() => checkProvider(whole, 'provider')).not.toThrow();
});

it.each([
  ['no object', 'smtp', 'a name'],
  ['no name', { ...whole, name: '' }, 'a name'],
  ['no send', { ...whole, send: undefined }, 'send()'],
  ['no close', { ...whole, close: null }, 'close()'],
])('%s → told where it is given', (_, provider, lacks) => {
  expect(() => checkProvider(provider, 'routes.a.provider')).toThrow(
    expect.objectContaining({
      ...{ code: 'INVALID_CONFIG', field: 'routes.a.provider' },
      message: expect.stringContaining(`has to have ${lacks};`),
    }),
  );
});
