import type { Attack } from '../attack.js';
import { type Entry, odd, tokens } from '../dictionary.js';
import { openSmtp, signIn, submit } from '../smtp-client.js';
import { messages } from './mime.js';

/** Submission: the arguments of every command, and messages. */
const KB = 1024;
const MB = 1024 ** 2;
const COMMAND_BYTES = 60 * KB;
const SIZES = [60 * KB, 500 * KB, 16 * MB - KB];

const COMMANDS: Record<string, (text: string) => string[]> = {
  EHLO: (text) => [`EHLO ${text}`],
  'AUTH PLAIN': (text) => ['EHLO a', `AUTH PLAIN ${Buffer.from(`\0a\0${text}`).toString('base64')}`],
  'AUTH PLAIN raw': (text) => ['EHLO a', `AUTH PLAIN ${text}`],
  'AUTH LOGIN': (text) => ['EHLO a', 'AUTH LOGIN', text, text],
  unknown: (text) => ['EHLO a', text],
};
const SIGNED_IN: Record<string, (text: string) => string[]> = {
  'MAIL FROM': (text) => [`MAIL FROM:<${text}>`],
  'MAIL FROM raw': (text) => [`MAIL FROM:${text}`],
  'MAIL FROM argument': (text) => [`MAIL FROM:<a@example.com> ${text}`],
  'RCPT TO': (text) => ['MAIL FROM:<a@example.com>', `RCPT TO:<${text}>`],
  'RCPT TO argument': (text) => ['MAIL FROM:<a@example.com>', `RCPT TO:<a@example.com> ${text}`],
};

export function* smtpAttacks(): Generator<Attack> {
  for (const entry of [...tokens, ...odd]) {
    for (const [name, lines] of Object.entries(COMMANDS)) yield command(name, lines, entry, false);
    for (const [name, lines] of Object.entries(SIGNED_IN)) yield command(name, lines, entry, true);
  }
  for (const { field, entry, make, most } of messages) {
    for (const size of SIZES) {
      const bytes = Math.min(size, most);
      yield {
        ...{ wayIn: 'SMTP DATA', field, entry, bytes },
        async run({ smtpPort, contents }) {
          const reply = await submit(smtpPort, contents.key, Buffer.from(dotted(make(bytes))));
          return { status: reply.slice(0, 80), answerBytes: reply.length };
        },
      };
      if (bytes === most) break;
    }
  }
}

function command(name: string, lines: (text: string) => string[], entry: Entry, signedIn: boolean): Attack {
  return {
    ...{ wayIn: `SMTP ${name}`, field: 'argument', entry: entry.name, bytes: COMMAND_BYTES },
    async run({ smtpPort, contents }) {
      const client = signedIn ? await signIn(smtpPort, contents.key) : await openSmtp(smtpPort);
      try {
        let reply = '';
        // A line break would make several commands of it.
        for (const line of lines(entry.make(COMMAND_BYTES).replace(/[\r\n]/g, ' ')))
          reply = await client.say(line);
        return { status: reply.slice(0, 80), answerBytes: reply.length };
      } finally {
        client.close();
      }
    },
  };
}

/** A line of a dot would end the message. */
const dotted = (message: string) => message.replace(/(^|\r\n)\.(?=\r\n)/g, '$1..');
