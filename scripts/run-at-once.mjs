import { spawn } from 'node:child_process';

/**
 * Runs several commands at once, for those that wait for more than they compute. The first is seen as it goes; the others
 * are shown when they have ended. Returns the first exit code that is not 0, else 0.
 */
export async function runAtOnce(root, commands) {
  const codes = await Promise.all(
    commands.map(([command, ...args], at) => {
      const shown = at === 0;
      const child = spawn(command, args, {
        cwd: root,
        stdio: ['inherit', ...Array(2).fill(shown ? 'inherit' : 'pipe')],
      });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding('utf8').on('data', (text) => {
          said += text;
        });
      }
      return new Promise((ended, failed) => {
        child.once('error', failed);
        child.once('close', (code) => {
          if (said.trim() !== '') process.stdout.write(`${said}\n`);
          if (code !== 0) console.error(`failed: ${[command, ...args].join(' ')}`);
          ended(code ?? 1);
        });
      });
    }),
  );
  return codes.find((code) => code !== 0) ?? 0;
}
