import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { utimesSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../kernel/index.js';
import { type FolderLock, lockFolder } from './folder-lock.js';
import { identify } from './lock-holder.js';

describe('folder lock', () => {
  let folder: string;
  const lock = () => join(folder, 'postrider.lock');
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-lock-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** The lock of a process that has ended. */
  async function staleLock(): Promise<string> {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    return JSON.stringify({ pid: child.pid, started: '1' });
  }

  test('a free folder → locked; unlocked → free again and nothing left behind', async () => {
    const held = await lockFolder(folder);
    expect((await readdir(folder)).sort()).toEqual([
      expect.stringMatching(/^postrider-[0-9a-f]{8}\.sock$/),
      'postrider.lock',
    ]);
    await expect(lockFolder(folder)).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    await held.release();
    expect(await readdir(folder)).toEqual([]);
    await (await lockFolder(folder)).release();
  });

  test('held by a living process → STORE_LOCKED with its number', async () => {
    await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(String(process.pid));
  });

  test('its holder is gone → taken', async () => {
    await writeFile(lock(), await staleLock());
    await lockFolder(folder);
    expect(JSON.parse(await readFile(lock(), 'utf8'))).toMatchObject({ pid: process.pid });
  });

  test('its number belongs to a younger process by now → taken', async () => {
    await writeFile(lock(), JSON.stringify({ pid: process.pid, started: '1' }));
    await lockFolder(folder);
    expect(JSON.parse(await readFile(lock(), 'utf8')).started).not.toBe('1');
  });

  test.each(['', '{"pid":', '{"pid":"x"}', 'null'])('half a lock (%j) → taken', async (content) => {
    await writeFile(lock(), content);
    await lockFolder(folder);
    expect(JSON.parse(await readFile(lock(), 'utf8'))).toMatchObject({ pid: process.pid });
  });

  test('unlocking after another took over → leaves the other’s lock', async () => {
    const held = await lockFolder(folder);
    const others = JSON.stringify({ pid: 1, started: 'other' });
    await writeFile(lock(), others);
    await held.release();
    expect(await readFile(lock(), 'utf8')).toBe(others);
  });

  test('a folder with a long path → locked the same', async () => {
    const long = join(folder, 'x'.repeat(120));
    await mkdir(long);
    const held = await lockFolder(long);
    expect(JSON.parse(await readFile(join(long, 'postrider.lock'), 'utf8')).socket).not.toBeNull();
    await expect(lockFolder(long)).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    await held.release();
    expect(await readdir(long)).toEqual([]);
  });

  describe('a holder whose process cannot be seen from here', () => {
    /** As the lock of another container looks from this one: a process number that means nothing here. */
    const elsewhere = async (more: object) => ({
      ...(await identify(process.pid)),
      ...{ pid: 999_999_999, host: 'another', processes: 'pid:[1]', ...more },
    });

    test('another container of this machine that runs → STORE_LOCKED with its name', async () => {
      const held = await lockFolder(folder);
      const mine = JSON.parse(await readFile(lock(), 'utf8'));
      await writeFile(lock(), JSON.stringify(await elsewhere({ socket: mine.socket })));
      await expect(lockFolder(folder)).rejects.toThrow('process 999999999 on another');
      await held.release();
    });

    test('another container of this machine that was killed → taken at once, its socket removed', async () => {
      const child = spawn(process.execPath, [
        '-e',
        `require('net').createServer().listen('${join(folder, 'postrider-0123abcd.sock')}', () => console.log('open'))`,
      ]);
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'exit');
      await writeFile(lock(), JSON.stringify(await elsewhere({ socket: 'postrider-0123abcd.sock' })));
      const held = await lockFolder(folder, { staleAfterMs: 600_000 });
      expect(await readdir(folder)).not.toContain('postrider-0123abcd.sock');
      await held.release();
    });

    test('another machine that beats → STORE_LOCKED; that has stopped → taken', async () => {
      await writeFile(lock(), JSON.stringify(await elsewhere({ boot: 'other', socket: null })));
      let touches = 0;
      const beat = setInterval(() => {
        touches += 1;
        utimesSync(lock(), touches, touches);
      }, 50);
      await expect(lockFolder(folder, { staleAfterMs: 2000 })).rejects.toMatchObject({
        code: 'STORE_LOCKED',
      });
      clearInterval(beat);
      const held = await lockFolder(folder, { staleAfterMs: 300 });
      expect(JSON.parse(await readFile(lock(), 'utf8')).pid).toBe(process.pid);
      await held.release();
    });
  });

  describe('while it is held', () => {
    const hold = (options = {}) => lockFolder(folder, { beatMs: 20, ...options });
    const refused = (held: FolderLock) =>
      expect.poll(() => held.check().then(String, String), { timeout: 10_000 });

    test('the folder deleted → calls are refused for good, and say so', async () => {
      const held = await hold();
      await held.check();
      await rm(folder, { recursive: true });
      await refused(held).toContain(`${folder} of the embedded store has been deleted or moved`);
      await mkdir(folder);
      await expect(held.check()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      await held.release();
    });

    test('the data below it moved away → refused', async () => {
      const held = await hold();
      await writeFile(join(folder, 'PG_VERSION'), '18');
      held.watch(join(folder, 'PG_VERSION'));
      await held.check();
      await rm(join(folder, 'PG_VERSION'));
      await refused(held).toContain('deleted or moved');
      await held.release();
    });

    test('taken over by another after a long stop → refused before anything is asked', async () => {
      const clock = new ManualClock();
      const held = await hold({ beatMs: 3_600_000, clock });
      await writeFile(lock(), JSON.stringify({ pid: 1, started: 'other' }));
      await held.check();
      clock.advance(60_000);
      await expect(held.check()).rejects.toThrow('taken over by another process');
      await held.release();
    });

    test('the disk full → refused with what is left; room again → goes on', async () => {
      let free = 5 * 1024 ** 2;
      const held = await hold({ freeBytes: async () => free });
      await refused(held).toContain('has 5 MB left on its disk; 32 MB are needed');
      free = 1024 ** 3;
      await refused(held).toBe('undefined');
      await held.release();
    });
  });
});
