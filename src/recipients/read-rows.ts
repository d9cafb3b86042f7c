import { invalidPayload, PostriderError, readJsonText } from '../kernel/index.js';

/**
 * Rows of a file as they arrive, one at a time: NDJSON (an object per line) or CSV (RFC 4180, the first row names the
 * columns; `preferences.reminders` is a key of preferences). Holds one row in memory. Refuses broken UTF-8, quotes that
 * do not close, rows longer than 1 MB or of more than 1000 columns, and names the row.
 */
export function readRows(
  bytes: AsyncIterable<Uint8Array>,
  format: RowFormat,
): AsyncGenerator<Record<string, unknown>> {
  return format === 'ndjson' ? readNdjson(decoded(bytes)) : readCsv(decoded(bytes));
}

export type RowFormat = (typeof ROW_FORMATS)[number];
export const ROW_FORMATS = ['csv', 'ndjson'] as const;

const MAX_ROW = 1024 * 1024;
/** A person has some dozens of attributes and preferences. */
const MAX_COLUMNS = 1000;

async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new PostriderError('INVALID_PAYLOAD', 'The rows are not valid UTF-8.', { cause: error });
  }
}

async function* readNdjson(texts: AsyncIterable<string>): AsyncGenerator<Record<string, unknown>> {
  let rest = '';
  let row = 0;
  const parse = (line: string) => {
    const value = readJsonText(line, `[${row}]`);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw invalidPayload(`[${row}]`, 'must be an object');
    row += 1;
    return value as Record<string, unknown>;
  };
  for await (const text of texts) {
    // Joined only where a line ends: a row that comes byte by byte would be copied as often as it has bytes.
    const end = text.lastIndexOf('\n');
    if (end !== -1) {
      for (const line of (rest + text.slice(0, end)).split('\n')) if (line.trim() !== '') yield parse(line);
      rest = '';
    }
    rest += text.slice(end + 1);
    if (rest.length > MAX_ROW) throw invalidPayload(`[${row}]`, 'is longer than 1 MB');
  }
  if (rest.trim() !== '') yield parse(rest);
}

async function* readCsv(texts: AsyncIterable<string>): AsyncGenerator<Record<string, unknown>> {
  let names: string[] | null = null;
  let row = 0;
  for await (const cells of readCells(texts)) {
    if (cells.length === 1 && cells[0] === '') continue;
    if (names === null) {
      if (cells.length > MAX_COLUMNS)
        throw invalidPayload('', `The first row has more than ${MAX_COLUMNS} columns.`);
      names = cells.map((name, index) => (index === 0 ? name.replace(/^\ufeff/, '') : name).trim());
      continue;
    }
    if (cells.length !== names.length)
      throw invalidPayload(`[${row}]`, `has ${cells.length} columns and not ${names.length}`);
    yield namedCells(names, cells);
    row += 1;
  }
}

/** An empty cell says nothing; true and false under preferences are what they say. */
function namedCells(names: readonly string[], cells: readonly string[]): Record<string, unknown> {
  const out: Record<string, unknown> = Object.create(null);
  for (const [index, name] of names.entries()) {
    const cell = cells[index]!;
    if (cell === '') continue;
    const [group, key] = /^(preferences|attributes)\.(.+)$/.exec(name)?.slice(1) ?? [];
    if (group === undefined || key === undefined) {
      out[name] = cell;
      continue;
    }
    out[group] ??= Object.create(null);
    (out[group] as Record<string, unknown>)[key] =
      group === 'preferences' && /^(?:true|false)$/i.test(cell) ? /^t/i.test(cell) : cell;
  }
  return out;
}

async function* readCells(texts: AsyncIterable<string>): AsyncGenerator<string[]> {
  let cells: string[] = [];
  let cell = '';
  let quoted = false;
  /** A quote inside a quoted cell: the next character says whether it ends it. */
  let atQuote = false;
  let size = 0;
  for await (const text of texts) {
    for (const character of text) {
      size += 1;
      if (size > MAX_ROW) throw invalidPayload('', 'A row is longer than 1 MB; is a quote not closed?');
      if (atQuote) {
        atQuote = false;
        if (character === '"') {
          cell += '"';
          continue;
        }
        quoted = false;
      }
      if (quoted) {
        if (character === '"') atQuote = true;
        else cell += character;
      } else if (character === '"' && cell === '') quoted = true;
      else if (character === ',') {
        cells.push(cell);
        cell = '';
      } else if (character === '\n') {
        cells.push(cell.endsWith('\r') ? cell.slice(0, -1) : cell);
        yield cells;
        cells = [];
        cell = '';
        size = 0;
      } else cell += character;
    }
  }
  if (quoted && !atQuote) throw invalidPayload('', 'The last row has a quote that is not closed.');
  if (cell !== '' || cells.length > 0) yield [...cells, cell.replace(/\r$/, '')];
}
