import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CopyRows } from './copy-rows.js';

const texts = fc.array(
  fc.array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(null, '', 'x'.repeat(5000), 'ü'.repeat(3000), '€'.repeat(40), 'a'.repeat(40)),
    ),
    { minLength: 2, maxLength: 2 },
  ),
  { maxLength: 12 },
);

test('any texts and any guess of their size → every table whole, whatever the pieces', () => {
  fc.assert(
    fc.property(texts, texts, fc.integer({ min: 1, max: 20_000 }), (one, other, guess) => {
      const rows = new CopyRows(guess);
      for (const table of [one, other]) {
        rows.beginTable(2);
        for (const [first, second] of table) {
          rows.row();
          expect(rows.text(first!)).toBe(Buffer.byteLength(first ?? ''));
          rows.json(second!);
        }
        rows.endTable();
      }
      const expected = [one, other].map((table) =>
        table.map(([first, second]) => [first, second === null ? null : `\u0001${second}`]),
      );
      const told = tablesOf(Buffer.concat(rows.messages())).map((table) =>
        table.map((row) => row.map((value) => value?.toString() ?? null)),
      );
      expect(JSON.stringify(told)).toBe(JSON.stringify(expected));
    }),
    { numRuns: 300 },
  );
});

test('values of each kind → the bytes of the binary format', () => {
  const rows = new CopyRows(100);
  rows.beginTable(8);
  rows.row();
  rows.uuid('0190a1b2-C3D4-7e5f-8a9b-0c1d2e3f4a5b');
  rows.uuid(null);
  rows.smallint(-2);
  rows.integer(70_000);
  rows.boolean(true);
  rows.boolean(false);
  rows.time(new Date(Date.UTC(2000, 0, 1, 0, 0, 1, 5)));
  rows.bytes('00ff7f');
  rows.endTable();
  const hex = tablesOf(Buffer.concat(rows.messages()))[0]?.[0]?.map(
    (value) => value?.toString('hex') ?? null,
  );
  expect(hex).toEqual([
    '0190a1b2c3d47e5f8a9b0c1d2e3f4a5b',
    null,
    'fffe',
    '00011170',
    ...['01', '00', '00000000000f55c8', '00ff7f'],
  ]);
});

test.each([
  '',
  '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5',
  '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b0',
  '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5g',
  '0190a1b2c3d47e5f8a9b0c1d2e3f4a5b',
  'é190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
  '0190a1b2c3d47e5f8a9b0c1d2e3f4a5bXXXX',
  '0190a1-b2c3d4-7e5f-8a9b-0c1d2e3f4a5b',
])('%j → no UUID, and said so', (value) => {
  const rows = new CopyRows(100);
  rows.beginTable(1);
  rows.row();
  expect(() => rows.uuid(value)).toThrow('not a UUID');
});

/** Reads the messages as the server does: the data of all up to a "done" is one table. */
function tablesOf(messages: Buffer): Array<Array<Array<Buffer | null>>> {
  const tables: Array<Array<Array<Buffer | null>>> = [];
  let data: Buffer[] = [];
  for (let at = 0; at < messages.length; ) {
    const end = at + 1 + messages.readInt32BE(at + 1);
    if (messages.toString('latin1', at, at + 1) === 'd') data.push(messages.subarray(at + 5, end));
    else {
      expect(messages.toString('latin1', at, end)).toBe('c\0\0\0\u0004');
      tables.push(rowsOf(Buffer.concat(data)));
      data = [];
    }
    at = end;
  }
  expect(data).toEqual([]);
  return tables;
}

function rowsOf(table: Buffer): Array<Array<Buffer | null>> {
  expect(table.toString('latin1', 0, 19)).toBe('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0');
  const rows: Array<Array<Buffer | null>> = [];
  let at = 19;
  for (let columns = table.readInt16BE(at); columns >= 0; columns = table.readInt16BE(at)) {
    at += 2;
    const row: Array<Buffer | null> = [];
    for (let column = 0; column < columns; column++) {
      const size = table.readInt32BE(at);
      at += 4 + Math.max(size, 0);
      row.push(size < 0 ? null : table.subarray(at - size, at));
    }
    rows.push(row);
  }
  expect(table.length).toBe(at + 2);
  return rows;
}
