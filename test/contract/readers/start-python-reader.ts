import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Python's email package as a reader of messages, one process for many of them. */
export function startPythonReader(python: string): PythonReader {
  const script = fileURLToPath(new URL('./read-message.py', import.meta.url));
  const child = spawn(python, [script], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PYTHONIOENCODING: 'utf-8' },
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async read(message) {
      child.stdin.write(`${message.toString('base64')}\n`);
      const { value, done } = await answers.next();
      if (done) throw new Error('the Python reader ended');
      const read = JSON.parse(value) as ReadMessage & { error?: string };
      if (read.error) throw new Error(`Python could not read the message: ${read.error}`);
      return read;
    },
    stop() {
      child.stdin.end();
      child.kill();
    },
  };
}

export interface PythonReader {
  read(message: Buffer): Promise<ReadMessage>;
  stop(): void;
}

export interface ReadMessage {
  subject: string;
  messageId: string;
  from: { name: string; address: string }[];
  to: { name: string; address: string }[];
  cc: { name: string; address: string }[];
  replyTo: { name: string; address: string }[];
  headers: [string, string][];
  text: string | null;
  html: string | null;
  attachments: { filename: string; contentType: string; contentId: string | null; content: string }[];
  defects: string[];
}
