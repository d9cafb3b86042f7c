import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockFolder } from './folder-lock.js';

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
    const unlock = await lockFolder(folder);
    expect(await readdir(folder)).toEqual(['postrider.lock']);
    await expect(lockFolder(folder)).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    await unlock();
    expect(await readdir(folder)).toEqual([]);
    await (await lockFolder(folder))();
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
    await (await lockFolder(folder))();
  });

  test.each(['', '{"pid":', '{"pid":"x"}', 'null'])('half a lock (%j) → taken', async (content) => {
    await writeFile(lock(), content);
    await (await lockFolder(folder))();
  });

  test('unlocking after another took over → leaves the other’s lock', async () => {
    const unlock = await lockFolder(folder);
    const others = JSON.stringify({ pid: 1, started: 'other' });
    await writeFile(lock(), others);
    await unlock();
    expect(await readFile(lock(), 'utf8')).toBe(others);
  });
});
