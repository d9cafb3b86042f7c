import pc from 'picocolors';

/**
 * Where a command speaks: answers go to `out`, everything about how it is going to `note`, so that
 * `--json` stays clean. Text from the store or from servers passes `printable` first.
 */
export interface Terminal {
  out(line: string): void;
  note(line: string): void;
  /** Writes over the current line of notes; only called when someone is watching. */
  redraw(line: string): void;
  /** True when notes go to a person's screen. */
  readonly watched: boolean;
  readonly colors: ReturnType<typeof pc.createColors>;
}

export function processTerminal(stdout: Stream, stderr: Stream): Terminal {
  return {
    out: (line) => void stdout.write(`${line}\n`),
    note: (line) => void stderr.write(`${line}\n`),
    redraw: (line) => void stderr.write(`\r\u001b[2K${line}`),
    watched: stderr.isTTY === true,
    colors: pc.createColors(pc.isColorSupported && stdout.isTTY === true),
  };
}

/** Makes control characters visible: a server's reply must not move the cursor or colour the screen. */
export function printable(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f]/g,
    (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

interface Stream {
  write(text: string): unknown;
  isTTY?: boolean;
}
