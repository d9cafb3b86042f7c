import { expect, test } from 'vitest';
import { refuseUnknownKeys } from './refuse-unknown-keys.js';

test('a misspelt option → refused by name with what was meant; known ones → pass', () => {
  const known = ['database', 'provider'];
  expect(() => refuseUnknownKeys({ databse: 1 }, known, 'INVALID_CONFIG')).toThrow(
    expect.objectContaining({
      code: 'INVALID_CONFIG',
      field: 'databse',
      message: 'There is no option databse; did you mean database?',
    }),
  );
  expect(() => refuseUnknownKeys({ provider: 1 }, known, 'INVALID_CONFIG')).not.toThrow();
});
