import { readFileSync } from 'node:fs';
import { expect, inject, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/kernel/index.js';
import { createSmtpProvider, type Outcome } from '../../src/providers/index.js';
import { describeWith } from '../services/index.js';
import { attempt, email } from './provider.contract.js';
import { startSmtpSink } from './servers/start-smtp-sink.js';

/**
 * Postfix's smtp-sink refusing, hanging up or saying goodbye at each command: the outcome is the one that
 * docs/PROVIDERS.md promises. The table there is the expectation.
 */
describeWith('postfix')('smtp-sink', () => {
  test('the documented table → six commands and four ways to fail', () => {
    expect(documented()).toHaveLength(24);
  });

  test.each(documented())('$flag $command → $promised', async ({ flag, command, promised }) => {
    const sink = await startSmtpSink(inject('postfixUrl')!, [flag, command]);
    const provider = createSmtpProvider({ host: '127.0.0.1', port: sink.port }, { clock: systemClock });
    onTestFinished(async () => {
      await provider.close();
      await sink.stop();
    });
    expect(inWords(await provider.send(email(), attempt()))).toBe(promised);
  });
});

interface Promised {
  command: string;
  flag: string;
  promised: string;
}

function documented(): Promised[] {
  const page = readFileSync(new URL('../../docs/PROVIDERS.md', import.meta.url), 'utf8');
  const table = page.slice(page.indexOf('| at | 4yz')).split('\n\n')[0]!;
  const [head, , ...rows] = table.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const flags = head!.slice(1).map((cell) => /`(-\w)`/.exec(cell)![1]!);
  return rows.flatMap(([command, ...cells]) =>
    cells.map((promised, index) => ({
      command: command!.replaceAll('`', ''),
      flag: flags[index]!,
      promised,
    })),
  );
}

function inWords(outcome: Outcome): string {
  if (outcome.kind === 'sent') {
    const { conversation = [] } = outcome.trace;
    return conversation.some((line) => line.startsWith('C: HELO')) ? 'sent after HELO' : 'sent';
  }
  const code = /^(?:SOCKET_CLOSED|ECONNRESET|EPIPE)$/.test(outcome.code) ? 'lost' : outcome.code;
  return `${outcome.kind}, ${outcome.scope}, ${code}`;
}
