import type { Writable } from 'node:stream';
import { SmtpData } from './smtp-data.js';

/**
 * Reads the DATA of a connection of smtp-server chunk by chunk. Its own reader makes a piece of every line that begins
 * with a dot and waits for the event loop before the next, whether they are taken or not: 12 MB of such lines took 28
 * seconds and 4 GB. The connection's parsers, and those it makes after STARTTLS, get ours instead.
 */
export function readDataWhole(connection: object): void {
  const { _parser, _createParser } = connection as SmtpServerConnection;
  const changed = connection as SmtpServerConnection;
  changed._createParser = (...given) => withDataRead(_createParser.apply(connection, given));
  if (_parser) withDataRead(_parser);
}

interface SmtpServerConnection {
  _parser: SmtpParser | false | null;
  _createParser(...given: unknown[]): SmtpParser;
}

interface SmtpParser {
  _dataStream: Writable;
  startDataMode(maxBytes: unknown): Writable;
  _feedDataStream(chunk: Buffer, done: () => void): void;
  _countDataBytes(length: number): void;
  _endDataMode(content: Buffer | false, rest: Buffer, done: () => void): void;
}

function withDataRead(parser: SmtpParser): SmtpParser {
  const { startDataMode } = parser;
  let data = new SmtpData();
  parser.startDataMode = (maxBytes) => {
    data = new SmtpData();
    return startDataMode.call(parser, maxBytes);
  };
  parser._feedDataStream = (chunk, done) => {
    const { content, rest } = data.read(chunk);
    parser._countDataBytes(content.length);
    if (rest !== null) parser._endDataMode(content, rest, done);
    else if (content.length === 0) done();
    else writeAll(parser._dataStream, content, done);
  };
  return parser;
}

/** `done` once more may come: the stream has passed it on, or is gone. */
function writeAll(stream: Writable, content: Buffer, done: () => void): void {
  if (!stream.writable || stream.write(content) || stream.destroyed) {
    done();
    return;
  }
  const goOn = () => {
    stream.off('drain', goOn);
    stream.off('close', goOn);
    done();
  };
  stream.once('drain', goOn);
  stream.once('close', goOn);
}
