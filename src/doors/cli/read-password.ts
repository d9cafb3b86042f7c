import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { PostriderError } from '../../kernel/index.js';

/**
 * A password from whoever sits here, typed twice and not shown, or the first line of what is piped in. Never an
 * argument: those are seen by every process on the machine and kept in the shell's history.
 */
export async function readPassword(input: Readable & { isTTY?: boolean }, output: Writable): Promise<string> {
  if (input.isTTY !== true) return firstLine(input);
  const [first, second] = await ask(input, output, ['Password: ', 'Once more: ']);
  if (first === undefined || first !== second)
    throw new PostriderError('INVALID_PAYLOAD', 'The two were not the same.', { field: 'password' });
  return first;
}

async function firstLine(input: Readable): Promise<string> {
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  try {
    for await (const line of lines) return line;
  } finally {
    lines.close();
  }
  throw new PostriderError('INVALID_PAYLOAD', 'A password is needed: type it, or pipe it in.', {
    field: 'password',
  });
}

/** The terminal's own echo is off while the interface has it; what the interface would write goes nowhere. */
async function ask(input: Readable, output: Writable, questions: readonly string[]): Promise<string[]> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true });
  // Listening before the question, so that an answer that is quick is not missed.
  const typed = lines[Symbol.asyncIterator]();
  const answers: string[] = [];
  try {
    for (const question of questions) {
      output.write(question);
      const { value, done } = await typed.next();
      output.write('\n');
      if (done) break;
      answers.push(value);
    }
    return answers;
  } finally {
    lines.close();
  }
}
