/**
 * Files as Resend's clients send them: base64 text, a Buffer as JSON shows it, or a list of bytes; or a URL that is
 * fetched. Becomes what intake takes, which checks name, type and size.
 */
import { type Fields, PostriderError, parseUrl } from '../../../kernel/index.js';
import { fieldsOf } from './read-body.js';

/** The bytes behind a URL; refuses what is not on the public internet. */
export type FetchFile = (url: string, field: string, bounds: FetchBounds) => Promise<Buffer>;

export interface FetchBounds {
  /** Called with the bytes that arrive; what it throws ends the fetch. */
  take(bytes: number): void;
  withinMs: number;
}

/** The same within what one request may have. */
export type FileSource = (url: string, field: string) => Promise<Buffer>;

export async function attachmentInputs(input: unknown, fetchFile: FileSource): Promise<object[] | undefined> {
  if (input === undefined) return undefined;
  if (!Array.isArray(input)) throw refused('attachments', 'must be a list');
  if (input.length > MAX_FILES) throw refused('attachments', `has more than ${MAX_FILES} files`);
  const files: object[] = [];
  // One after the other: together they may not be more than one email holds.
  for (const [index, item] of input.entries())
    files.push(await attachmentInput(item, `attachments[${index}]`, fetchFile));
  return files;
}

const MAX_FILES = 20;

async function attachmentInput(item: unknown, place: string, fetchFile: FileSource): Promise<object> {
  const file = fieldsOf(item, place);
  const content =
    file.content === undefined
      ? (await fetchFile(pathOf(file, place), `${place}.path`)).toString('base64')
      : base64Of(file.content, `${place}.content`);
  return {
    filename: file.filename === undefined || file.filename === false ? nameOf(file, place) : file.filename,
    content,
    ...(file.content_type !== undefined && { contentType: file.content_type }),
    ...(file.content_id !== undefined && { contentId: file.content_id }),
  };
}

function base64Of(content: unknown, field: string): unknown {
  // Clients wrap base64 at will; intake takes one spelling only.
  if (typeof content === 'string') return content.replace(/[\r\n]+/g, '');
  const bytes = Array.isArray(content) ? content : (fieldsOf(content, field).data as unknown);
  if (!Array.isArray(bytes) || !bytes.every(isByte))
    throw refused(field, 'must be base64 or a list of bytes');
  return Buffer.from(bytes).toString('base64');
}

function isByte(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255;
}

function pathOf(file: Fields, place: string): string {
  if (typeof file.path === 'string' && file.path.length <= 2048) return file.path;
  throw refused(`${place}.content`, 'is missing; send content or path');
}

/** A file without a name is called as its URL ends, or plainly. */
function nameOf(file: Fields, place: string): string {
  const url = typeof file.path === 'string' ? parseUrl(file.path) : null;
  const last = url?.pathname.split('/').at(-1);
  return last ? safeDecode(last) : `attachment-${place.replace(/\D+/g, '')}`;
}

function safeDecode(name: string): string {
  try {
    return decodeURIComponent(name).replace(/[/\\]/g, '_');
  } catch {
    return name;
  }
}

function refused(field: string, what: string): PostriderError {
  return new PostriderError('INVALID_PAYLOAD', `${field} ${what}.`, { field });
}
