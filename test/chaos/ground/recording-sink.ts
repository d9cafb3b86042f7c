import { SMTPServer } from 'smtp-server';

/** A real SMTP server that writes down every message it took, by Message-ID, with the time. */
export interface RecordingSink {
  port: number;
  /** Message-ID without brackets, up to the @: the email's id → times it was taken. */
  taken: Map<string, number[]>;
  /** Called after a message was read and before it is answered; may delay. */
  beforeAnswer: (emailId: string) => Promise<void>;
  stop(): Promise<void>;
}

export async function startRecordingSink(port = 0): Promise<RecordingSink> {
  const taken = new Map<string, number[]>();
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    authOptional: true,
    logger: false,
    onData(stream, _session, done) {
      let head = '';
      stream.on('data', (chunk: Buffer) => {
        if (head.length < 65_536) head += chunk.toString('latin1');
      });
      stream.on('end', () => {
        const id = /^Message-ID: <([^@>]+)@/im.exec(head)?.[1] ?? 'none';
        taken.set(id, [...(taken.get(id) ?? []), performance.now()]);
        sink.beforeAnswer(id).then(() => done());
      });
    },
  });
  // Children are killed in the middle of a conversation on purpose.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const sink: RecordingSink = {
    port: (server.server.address() as { port: number }).port,
    taken,
    beforeAnswer: async () => {},
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return sink;
}
