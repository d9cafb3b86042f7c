import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { describeWith, queryOnce, waitFor } from '../services/index.js';
import { removeStaleWorkspaces } from '../services/workspace.js';

describeWith('postgres')('servers of a run that ends', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'runner gets %s → server and folder are gone when it exits',
    async (signal) => {
      const runner = await startRunner();
      runner.process.kill(signal);
      await once(runner.process, 'exit');
      expect(existsSync(runner.folder)).toBe(false);
      await expect(queryOnce(runner.url, 'select 1')).rejects.toThrow(/ECONNREFUSED/);
    },
  );

  it('runner gets SIGKILL → the next start ends its server and removes its folder', async () => {
    const runner = await startRunner();
    runner.process.kill('SIGKILL');
    await once(runner.process, 'exit');
    removeStaleWorkspaces();
    expect(existsSync(runner.folder)).toBe(false);
    await expect(queryOnce(runner.url, 'select 1')).rejects.toThrow(/ECONNREFUSED/);
  });

  it('another run starts while a runner lives → its server is left alone', async () => {
    const runner = await startRunner();
    removeStaleWorkspaces();
    expect(await queryOnce(runner.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    runner.process.kill('SIGTERM');
    await once(runner.process, 'exit');
  });
});

async function startRunner(): Promise<{ process: ChildProcess; url: string; folder: string }> {
  const child = spawn(process.execPath, ['.build/test/services/hold-postgres.js'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said: string | undefined;
  createInterface({ input: child.stdout }).once('line', (line) => {
    said = line;
  });
  const line = await waitFor(() => said, { timeoutMs: 60_000, what: 'the runner to start its server' });
  const { url, dataDir } = JSON.parse(line) as { url: string; dataDir: string };
  return { process: child, url, folder: dirname(dataDir) };
}
