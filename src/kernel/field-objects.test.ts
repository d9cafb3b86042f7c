import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Field, isDeclared } from './declare-field.js';
import { field } from './field-kinds.js';
import { fields, needed, oneOf, orNull } from './field-objects.js';
import { invalidPayload } from './input-fields.js';

/** What the reader and the schema say of the same; they may never differ. */
function verdicts({ read, schema }: Field<unknown>, input: unknown): [boolean, boolean] {
  let isRead = true;
  try {
    read(input, '');
  } catch {
    isRead = false;
  }
  return [isRead, schema.safeParse(input).success];
}

const TAKEN = [true, true];
const REFUSED = [false, false];

test('an object of fields → what was given is read, what is needed must be there, other names are refused', () => {
  const person = fields({
    name: needed(field.line(9)),
    note: orNull(field.line(9)),
    age: field.whole(0, 150),
  });
  expect(person.read({ name: 'a', note: null }, '')).toEqual({ name: 'a', note: null });
  for (const good of [{ name: 'a' }, { name: 'a', note: null, age: 7 }])
    expect(verdicts(person, good)).toEqual(TAKEN);
  for (const bad of [{}, { name: null }, { name: 'a', age: null }, { name: 'a', other: 1 }, [], null, 'a'])
    expect(verdicts(person, bad), JSON.stringify(bad)).toEqual(REFUSED);
});

test('an object where null is absent → null is left out, but not of what is needed', () => {
  const person = fields({ name: needed(field.line(9)), age: field.whole(0, 150) }, { nullIsAbsent: true });
  expect(person.read({ name: 'a', age: null }, '')).toEqual({ name: 'a' });
  expect(verdicts(person, { name: 'a', age: null })).toEqual(TAKEN);
  expect(verdicts(person, { name: null })).toEqual(REFUSED);
});

test('a refusal inside an object → names the whole way to it', () => {
  const inner = fields({ age: needed(field.whole(0, 150)) });
  const outer = fields({ people: field.list(inner, 'people', { min: 1, max: 5 }) });
  expect(() => outer.read({ people: [{ age: 1 }, { age: -1 }] }, 'body')).toThrow(
    expect.objectContaining({ field: 'body.people[1].age' }),
  );
  expect(() => outer.read({ people: [{}] }, '')).toThrow(expect.objectContaining({ field: 'people[0].age' }));
  expect(() => outer.read({ peple: [] }, '')).toThrow(/did you mean people/);
});

test('what two fields say together → the schema knows it too', () => {
  const range = fields(
    { from: needed(field.whole(0, 9)), to: needed(field.whole(0, 9)) },
    {
      together({ from, to }, at) {
        if (to < from) throw invalidPayload(at('to'), 'must not be below from');
      },
    },
  );
  expect(verdicts(range, { from: 1, to: 2 })).toEqual(TAKEN);
  expect(verdicts(range, { from: 2, to: 1 })).toEqual(REFUSED);
});

test('one of several objects → read as the one that is meant, shown as all of them', () => {
  const which = oneOf(
    { ids: fields({ ids: needed(field.text()) }), all: fields({ all: needed(field.flag()) }) },
    (given) => ('all' in given ? 'all' : 'ids'),
  );
  expect(which.read({ all: true }, '')).toEqual({ all: true });
  expect(which.read({ all: true, ids: undefined }, '')).toEqual({ all: true });
  expect(verdicts(which, { ids: 'a' })).toEqual(TAKEN);
  for (const bad of [{}, { ids: 7 }, { ids: 'a', all: true }, [], null])
    expect(verdicts(which, bad), JSON.stringify(bad)).toEqual(REFUSED);
  expect(() => which.read({ al: true }, '')).toThrow(/did you mean all/);
  expect((z.toJSONSchema(which.schema) as { anyOf: unknown[] }).anyOf).toHaveLength(2);
});

test('what is declared → is known from what is not', () => {
  const all = [field.text(), needed(field.text()), orNull(field.text()), fields({}), field.mailbox()];
  expect(all.every(isDeclared)).toBe(true);
  expect([{ read: () => null, schema: z.string() }, z.string(), undefined].some(isDeclared)).toBe(false);
});
