import pg from './node-postgres.js';

/**
 * How our own statements read their columns, whatever the application has told pg's global parsers. Types that none
 * of our statements returns are read as the application wants them.
 */
export const postgresTypes: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return PARSERS[oid] ?? pg.types.getTypeParser(oid, format as 'text');
  },
};

/** Declared as a function, but it is this. */
const ARRAYS = pg.types.arrayParser as unknown as {
  create(text: string, parse: Parse): { parse(): unknown[] };
};

type Parse = (text: string) => unknown;

const asText: Parse = (text) => text;
const asBoolean: Parse = (text) => text === 't';

const PARSERS: Record<number, Parse> = {
  16: asBoolean,
  20: asText, // int8 does not fit a number
  21: Number,
  23: Number,
  25: asText,
  26: Number,
  114: JSON.parse,
  700: Number,
  701: Number,
  1000: listOf(asBoolean),
  1005: listOf(Number),
  1007: listOf(Number),
  1009: listOf(asText),
  1043: asText,
  1184: readInstant,
  2950: asText,
  2951: listOf(asText),
  3802: JSON.parse,
};

function listOf(parse: Parse): Parse {
  return (text) => ARRAYS.create(text, parse).parse();
}

/** `2026-01-02 03:04:05.678+00`, as the server writes it in its ISO style. */
function readInstant(text: string): Date {
  return new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
}
