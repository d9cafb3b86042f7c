import { expect, test, vi } from 'vitest';
import type { NewEmail } from '../outbox/index.js';
import { acceptInChunks, type ChunkSteps } from './accept-in-chunks.js';

const email = (place: number) =>
  ({ id: `e${place}`, requestId: 'r', suppressed: null, scheduledAt: null }) as unknown as NewEmail;

function steps(parts: Partial<ChunkSteps> = {}): { steps: ChunkSteps; log: string[] } {
  const log: string[] = [];
  return {
    log,
    steps: {
      async complete(from, to) {
        log.push(`complete ${from}-${to}`);
        return Array.from({ length: to - from }, (_, at) => email(from + at));
      },
      counts: () => false,
      async judge(emails, place) {
        log.push(`judge ${place}+${emails.length}`);
        return undefined;
      },
      prepareWrite(emails) {
        const [{ id }] = emails as [NewEmail];
        return async () => {
          log.push(`write ${id}`);
          await new Promise((resolve) => setTimeout(resolve, 5));
          log.push(`written ${id}`);
        };
      },
      ahead: 1,
      now: () => 0,
      ...parts,
    },
  };
}

test('three hundred emails → the next chunk is made ready while one is written, answers in order', async () => {
  // Each write but the last ends only when the next has been made ready.
  let release = () => {};
  const { steps: given, log } = steps({
    prepareWrite(emails) {
      const [{ id }] = emails as [NewEmail];
      release();
      return async () => {
        log.push(`write ${id}`);
        if (id !== 'e262') await new Promise<void>((resolve) => (release = resolve));
        log.push(`written ${id}`);
      };
    },
  });
  const answers = await acceptInChunks(300, given);
  expect(answers.map(({ emailId }) => emailId)).toEqual(Array.from({ length: 300 }, (_, at) => `e${at}`));
  const writes = ['e0', 'e32', 'e96', 'e160', 'e224', 'e262'].flatMap((id) => [
    `write ${id}`,
    `written ${id}`,
  ]);
  expect(log.filter((line) => line.startsWith('writ'))).toEqual(writes);
});

test('a limit in the second chunk → all from there on are judged together, and written in chunks', async () => {
  const { steps: given, log } = steps({ counts: (emails) => emails.some(({ id }) => id === 'e50') });
  expect(await acceptInChunks(400, given)).toHaveLength(400);
  expect(log.filter((line) => line.startsWith('judge'))).toEqual(['judge 0+32', 'judge 32+368']);
  expect(log.filter((line) => line.startsWith('written'))).toHaveLength(7);
});

test('refused while the chunk before is being written → rejects when that is over', async () => {
  const { steps: given, log } = steps({
    async judge(_emails, place) {
      if (place > 0) throw new Error('refused');
      return undefined;
    },
  });
  await expect(acceptInChunks(300, given)).rejects.toThrow('refused');
  expect(log.at(-1)).toBe('written e0');
});

test('the last write fails → rejects with why', async () => {
  const { steps: given } = steps({
    prepareWrite:
      ([first]) =>
      async () => {
        if (first?.id === 'e262') throw new Error('away');
      },
  });
  await expect(acceptInChunks(300, given)).rejects.toThrow('away');
});

test('a write fails, and with it what is asked in its transaction → rejects with why the write failed', async () => {
  let fail = (_: Error) => {};
  const { steps: given } = steps({
    async judge(_emails, place) {
      if (place === 0) return undefined;
      fail(new Error('disk full'));
      throw new Error('current transaction is aborted');
    },
    prepareWrite: () => () => new Promise((_, reject) => (fail = reject)),
  });
  await expect(acceptInChunks(300, given)).rejects.toThrow('disk full');
});

test('two may be under way → the third is sent when the first has ended', async () => {
  const { steps: given, log } = steps({ ahead: 2 });
  await acceptInChunks(300, given);
  const lines = log.filter((line) => line.startsWith('writ'));
  expect(lines.slice(0, 4)).toEqual(['write e0', 'write e32', 'written e0', 'write e96']);
  expect(lines.filter((line) => line.startsWith('written'))).toHaveLength(6);
});

test('the first of two fails, and the second because of it → rejects with the first, when both are over', async () => {
  const fail = new Map<string, (error: Error) => void>();
  const { steps: given } = steps({
    ahead: 2,
    prepareWrite:
      ([first]) =>
      () =>
        new Promise((_, reject) => fail.set(first!.id, reject)),
  });
  let over = false;
  const accepting = acceptInChunks(300, given).finally(() => {
    over = true;
  });
  await vi.waitFor(() => expect([...fail.keys()]).toEqual(['e0', 'e32']));
  fail.get('e0')!(new Error('disk full'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(over).toBe(false);
  fail.get('e32')!(new Error('current transaction is aborted'));
  await expect(accepting).rejects.toThrow('disk full');
});
