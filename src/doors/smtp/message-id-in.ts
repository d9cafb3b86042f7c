/** As the client wrote it, of a message that is not read yet; as much of it as a line in the log needs. */
export function messageIdIn(raw: Buffer): string | undefined {
  const start = raw.subarray(0, MAX_HEAD_BYTES);
  const end = start.indexOf('\r\n\r\n');
  const head = start.toString('latin1', 0, end < 0 ? start.length : end);
  return /^Message-ID:[ \t]*(?:\r\n[ \t]+)?(\S{1,200})/im.exec(head)?.[1];
}

/** What a line in the log names a refused message by. */
export interface AboutMessage {
  messageId?: string | undefined;
}

const MAX_HEAD_BYTES = 64 * 1024;
