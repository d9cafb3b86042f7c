import { expect, test } from 'vitest';
import { Suspects } from './suspects.js';

const claims = (groupLimit: number, ...names: string[]) => names.map((id) => ({ id, groupLimit }));

test('none held → as many as leave the others their part', () => {
  expect(new Suspects(48).room()).toBe(48);
});

test('some held → never more together than the strictest of them allows', () => {
  const suspects = new Suspects(48);
  suspects.add(claims(10, 'a', 'b'));
  expect(suspects.room()).toBe(8);
  suspects.add(claims(4, 'c'));
  expect(suspects.room()).toBe(1);
  suspects.remove({ id: 'c' });
  expect(suspects.room()).toBe(8);
});

test('one that is to be alone → nobody joins it', () => {
  const suspects = new Suspects(48);
  suspects.add(claims(1, 'a'));
  expect(suspects.room()).toBe(0);
  expect(suspects.remove({ id: 'a' })).toBe(true);
  expect(suspects.remove({ id: 'a' })).toBe(false);
  expect(suspects.room()).toBe(48);
});
