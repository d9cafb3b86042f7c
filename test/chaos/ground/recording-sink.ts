import { SMTPServer } from 'smtp-server';

/**
 * A real SMTP server that writes down every message it took responsibility for, by the email's id,
 * with the time. Its hooks can delay or refuse; a refused message is not taken.
 */
export interface RecordingSink {
  port: number;
  /** Message-ID without brackets, up to the @: the email's id → times it was taken. */
  taken: Map<string, number[]>;
  /** Called before RCPT is answered, and so before DATA is; may delay. */
  beforeRecipient: (address: string) => Promise<void>;
  /** Called after a message was read whole and before it is answered; may delay, or refuse with a code. */
  beforeAnswer: (message: SinkMessage) => Promise<Refusal | undefined>;
  /** Copies taken so far, all emails together. */
  copies(): number;
  stop(): Promise<void>;
}

export interface SinkMessage {
  emailId: string;
  /** Of the first recipient. */
  to: string;
  /** How often this email was read whole before. */
  seen: number;
}

export interface Refusal {
  code: number;
}

export async function startRecordingSink(port = 0): Promise<RecordingSink> {
  const taken = new Map<string, number[]>();
  const seen = new Map<string, number>();
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    authOptional: true,
    logger: false,
    closeTimeout: 100,
    onRcptTo(address, _session, done) {
      sink.beforeRecipient(address.address).then(() => done());
    },
    onData(stream, session, done) {
      let head = '';
      // A child that dies within its message leaves half of one; that is no message.
      stream.on('error', () => undefined);
      stream.on('data', (chunk: Buffer) => {
        if (head.length < 65_536) head += chunk.toString('latin1');
      });
      stream.on('end', () => {
        const emailId = /^Message-ID: <([^@>]+)@/im.exec(head)?.[1] ?? 'none';
        const before = seen.get(emailId) ?? 0;
        seen.set(emailId, before + 1);
        // Taken from here on unless refused: the client may be gone before it hears the answer.
        const at = performance.now();
        taken.set(emailId, [...(taken.get(emailId) ?? []), at]);
        const to = session.envelope.rcptTo[0]?.address ?? '';
        sink.beforeAnswer({ emailId, to, seen: before }).then((refusal) => {
          if (!refusal) return done();
          forget(emailId, at);
          done(Object.assign(new Error('refused by the test'), { responseCode: refusal.code }));
        });
      });
    },
  });
  function forget(emailId: string, at: number): void {
    const left = (taken.get(emailId) ?? []).filter((time) => time !== at);
    if (left.length > 0) taken.set(emailId, left);
    else taken.delete(emailId);
  }
  // Children are killed in the middle of a conversation on purpose.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const sink: RecordingSink = {
    port: (server.server.address() as { port: number }).port,
    taken,
    beforeRecipient: async () => {},
    beforeAnswer: async () => undefined,
    copies: () => [...taken.values()].reduce((sum, times) => sum + times.length, 0),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return sink;
}
