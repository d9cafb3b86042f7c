import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Compiles src, test and bench into .build, where tests start child processes from:
 * `node .build/test/chaos/x.js`. What the sources find beside them at the root is linked in.
 * A type error is fatal only where `strict` says so: the compiler still writes everything.
 */
export async function compileSources(root: string, options: { strict: boolean }): Promise<void> {
  const out = join(root, '.build');
  mkdirSync(out, { recursive: true });
  for (const asset of ['migrations', 'templates', 'locales', 'package.json']) {
    if (existsSync(join(root, asset)) && !existsSync(join(out, asset))) {
      symlinkSync(join('..', asset), join(out, asset));
    }
  }
  // Incremental: a file is rewritten only when it changed, so a second run beside this one reads whole files.
  const incremental = ['--incremental', '--tsBuildInfoFile', join(out, 'tsbuildinfo.json')];
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  try {
    await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.run.json', ...incremental], {
      cwd: root,
    });
  } catch (error) {
    const said = (error as { stdout?: string }).stdout || String(error);
    if (options.strict) throw new Error(`the sources do not compile:\n${said}`, { cause: error });
    console.warn(`services: the sources compile with errors:\n${said}`);
  }
}
