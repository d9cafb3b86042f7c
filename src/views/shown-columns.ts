import { jsonBytes } from '../store/index.js';

/**
 * Columns of the ledger as text that can always be shown, whatever a row holds and whichever driver reads it: over a
 * caller's own transaction it is the application's, which may turn `infinity` into a number, an invalid Date or an error.
 * A row may have been written by SQL, by older code or by hand. No value of it may keep its page from being shown.
 */

/** A time in ISO 8601; what no calendar has, such as `infinity` or a year before Christ, as PostgreSQL writes it. */
export function shownTime(column: string): string {
  return `case when ${column} >= timestamptz '0001-01-01 00:00:00+00' and ${column} < timestamptz '10000-01-01 00:00:00+00'
    then to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') else ${column}::text end`;
}

/** A text, cut where it is longer than anything Postrider accepts. Only the part that is shown is read. */
export function shownText(column: string, most = MOST_CHARACTERS): string {
  return `case when octet_length(${column}) > ${most} then substr(${column}, 1, ${most}) else ${column} end`;
}

/**
 * A JSON object as its text; anything else, and what is too large, becomes an object that says so as `text`. Numbers beyond
 * those of JavaScript count as too large, and what is nested so deep that no answer could be made of it.
 */
export function shownObject(column: string, mostBytes = MOST_JSON_BYTES): string {
  return `case when ${column} is null then null
    when ${jsonBytes(column)} > ${mostBytes} or not postrider.is_plain_json(${column})
      or octet_length(${column}::text) > ${mostBytes} then '{"text":"(too large to show)"}'
    when jsonb_typeof(${column}) <> 'object' then jsonb_build_object('text', ${column}::text)::text
    else ${column}::text end`;
}

/** What `shownObject` gave. */
export function readObject(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}

/** Whom an email is from and for, as JSON; `{}` where it is no object, or larger than any that is accepted. */
export function shownMessage(column: string, { withHeaders }: { withHeaders: boolean }): string {
  return `case when jsonb_typeof(${column}) = 'object' and ${jsonBytes(column)} <= ${MOST_MESSAGE_BYTES}
    and postrider.is_plain_json(${column}) then (${column} - 'traceparent'${withHeaders ? '' : " - 'headers' - 'headerRecipients'"})::text else '{}' end`;
}

/** The files of an email as JSON; null where they are no list, or more than may be attached. */
export function shownFiles(column: string): string {
  return `case when jsonb_typeof(${column}) = 'array' and ${jsonBytes(column)} <= ${MOST_FILES_BYTES}
    and postrider.is_plain_json(${column}) then ${column} end`;
}

/** A body; of one larger than any that is accepted, the beginning. */
export function shownBody(column: string): string {
  return `case when octet_length(${column}) > ${MOST_BODY_BYTES} then substr(${column}, 1, ${SHOWN_OF_LARGE}) else ${column} end`;
}

/** The pictures that HTML can show by their Content-ID, of files that `shownFiles` gave. */
export function shownImages(files: string): string {
  return `(select jsonb_agg(file order by position) from jsonb_array_elements(${files}) with ordinality a(file, position)
    where file ->> 'contentType' like 'image/%' and jsonb_typeof(file -> 'contentId') = 'string')`;
}

export function isCut(column: string): string {
  return `octet_length(${column}) > ${MOST_BODY_BYTES}`;
}

const MOST_CHARACTERS = 8000;
/** Metadata has at most 8 KB, and what an attempt says with its conversation less than this. */
const MOST_JSON_BYTES = 128 * 1024;
/** Fifty addresses with names and fifty headers are less. */
const MOST_MESSAGE_BYTES = 1024 ** 2;
/** 40 MB in base64, with names. */
const MOST_FILES_BYTES = 64 * 1024 ** 2;
/** Bodies are accepted up to 512 KB; text derived from HTML can be longer. */
const MOST_BODY_BYTES = 4 * 1024 ** 2;
const SHOWN_OF_LARGE = 64 * 1024;
