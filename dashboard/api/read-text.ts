/** What the API answers as text, such as the source of a message. */
import { readProblem, unreachable } from './api-error.js';

export async function readText(path: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(path, { credentials: 'same-origin', cache: 'no-store', signal }).catch(
    (error: unknown) => {
      if (signal.aborted) throw error;
      throw unreachable();
    },
  );
  if (!response.ok) throw await readProblem(response);
  return response.text();
}
