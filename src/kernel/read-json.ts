/**
 * JSON that came from outside as bytes: HTTP bodies, AMQP messages, bus events. One place decides what is JSON:
 * strict UTF-8 within the limits of bytes, depth and values, each named in its refusal. It promises nothing about
 * content: own `__proto__` keys come through as they are, for intake to refuse.
 */
import { isUtf8 } from 'node:buffer';
import { isPostriderError, PostriderError } from './errors.js';
import { checkJsonShape, JsonShape } from './json-shape.js';
import { nextTurn } from './next-turn.js';

export interface ReadJsonOptions {
  /** Names the bytes in a refusal. */
  what?: string;
  maxBytes?: number;
}

/** Throws INVALID_JSON or PAYLOAD_TOO_LARGE. */
export function readJson(bytes: Uint8Array, options: ReadJsonOptions = {}): unknown {
  const { what = 'The body' } = options;
  const text = decode(bytes, options);
  checkJsonShape(text, what);
  return parse(text, what);
}

/** JSON that stands in a field of other JSON, or in a row of a file. A refusal names it. */
export function readJsonText(text: string, field: string): unknown {
  try {
    checkJsonShape(text, field);
    return parse(text, field);
  } catch (error) {
    if (!isPostriderError(error)) throw error;
    throw new PostriderError(error.code, error.message, { field, cause: error });
  }
}

/**
 * The same for bodies as large as they may be, which take a tenth of a second: other requests are served between its steps
 * and before its result is used. Neither the bytes nor their text are held longer than they are needed.
 */
export async function readJsonInTurns(
  read: () => Promise<Uint8Array>,
  options: ReadJsonOptions = {},
): Promise<unknown> {
  const { what = 'The body' } = options;
  const held = { text: await textOf(read, options) };
  if (held.text.length <= SMALL_CHARACTERS) {
    checkJsonShape(held.text, what);
    return parse(held.text, what);
  }
  await lookThrough(held.text, what);
  await nextTurn();
  const value = parse(held.text, what);
  held.text = '';
  await nextTurn();
  return value;
}

async function lookThrough(text: string, what: string): Promise<void> {
  const shape = new JsonShape(text, what);
  for (let end = 0; end < text.length; ) {
    await nextTurn();
    end = Math.min(end + CHARACTERS_PER_TURN, text.length);
    shape.lookTo(end);
  }
}

const SMALL_CHARACTERS = 256 * 1024;
const CHARACTERS_PER_TURN = 1024 ** 2;

async function textOf(read: () => Promise<Uint8Array>, options: ReadJsonOptions): Promise<string> {
  return decode(await read(), options);
}

function decode(
  bytes: Uint8Array,
  { what = 'The body', maxBytes = Number.POSITIVE_INFINITY }: ReadJsonOptions,
): string {
  if (bytes.byteLength > maxBytes)
    throw new PostriderError('PAYLOAD_TOO_LARGE', `${what} is larger than ${maxBytes} bytes.`);
  if (!isUtf8(bytes)) throw new PostriderError('INVALID_JSON', `${what} is not valid UTF-8.`);
  return decoder.decode(bytes);
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PostriderError('INVALID_JSON', `${what} is not valid JSON.`, { cause: error });
  }
}

const decoder = new TextDecoder();
