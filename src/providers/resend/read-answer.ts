import { oneLine } from '../smtp/conversation.js';

/**
 * Reads an answer of Resend, whatever it is: at most 64 KB of it, JSON or not. A body that breaks off
 * is no error here: the status already says how the request ended, the rest is detail.
 */
export async function readAnswer(response: Response): Promise<Answer> {
  const text = await readText(response);
  const { id, name, message } = parse(text);
  return {
    ok: response.ok,
    status: response.status,
    id: typeof id === 'string' && id !== '' ? oneLine(id, 200) : undefined,
    name: typeof name === 'string' && /^[a-z_]{1,60}$/.test(name) ? name : undefined,
    message: oneLine(typeof message === 'string' ? message : text || response.statusText, 500),
    retryAfter: response.headers.get('retry-after'),
  };
}

export interface Answer {
  ok: boolean;
  status: number;
  id: string | undefined;
  /** Resend's name of an error, such as rate_limit_exceeded. */
  name: string | undefined;
  message: string;
  retryAfter: string | null;
}

const MAX_BYTES = 64 * 1024;

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_BYTES) break;
    }
  } catch {
    // What came is judged below; a 200 that broke off has no id and is therefore unknown.
  }
  return Buffer.concat(chunks).subarray(0, MAX_BYTES).toString('utf8');
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
