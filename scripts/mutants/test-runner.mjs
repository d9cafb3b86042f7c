/**
 * Judges faults in a copy of the sources: writes the faulty file, runs the unit tests and then the service tests that it
 * is given, and writes the file back. Each project has one process that keeps its servers. A test that fails without a
 * fault judges none; a fault that makes tests hang is caught, and costs a new process.
 */
import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('run-tests.mjs', import.meta.url));
/** Longer than any test may take here, see TEST_TIMEOUT_MS. */
const HANGS_MS = 300_000;
const TIMEOUT_MS = '45000';

export function openTestRunner(copy) {
  const processes = new Map();
  const useful = new Map();
  /** What was written since a project ran last. */
  const stale = new Map();

  async function start(project) {
    const child = fork(PROGRAM, [project], {
      cwd: copy,
      env: { ...process.env, TEST_TIMEOUT_MS: TIMEOUT_MS, NODE_ENV: 'test' },
      stdio: ['ignore', process.env.MUTANTS_VERBOSE ? 'inherit' : 'ignore', 'inherit', 'ipc'],
    });
    processes.set(project, child);
    stale.set(project, new Set());
    await answer(child, HANGS_MS);
    return child;
  }

  async function ask(project, tests) {
    if (tests.length === 0) return { failed: [], ran: 0 };
    const child = processes.get(project) ?? (await start(project));
    const changed = [...stale.get(project)];
    stale.get(project).clear();
    child.send({ changed, tests });
    const said = await answer(child, HANGS_MS);
    if (said.gone) processes.delete(project);
    if (said.error) throw new Error(said.error);
    return said;
  }

  /** Those that pass without a fault; each is tried once. */
  async function usefulOf(project, tests) {
    for (const test of tests.filter((each) => !useful.has(each))) {
      const { failed, ran } = await ask(project, [test]);
      useful.set(test, failed.length === 0 && ran === 1);
      if (!useful.get(test))
        console.log(
          `mutants: ${test} is not used, ${failed.length > 0 ? `it fails by itself: ${failed[0]}` : 'it is skipped here'}`,
        );
    }
    return tests.filter((test) => useful.get(test));
  }

  function write(file, text) {
    writeFileSync(join(copy, file), text);
    for (const files of stale.values()) files.add(join(copy, file));
  }

  async function judge({ file, text, mutated, tests }) {
    const unit = await usefulOf('unit', tests.unit);
    const services = await usefulOf('services', tests.services);
    write(file, mutated);
    try {
      for (const [project, of] of [
        ['unit', unit],
        ['services', services],
      ]) {
        const { failed } = await ask(project, of);
        if (failed.length > 0) return { caughtBy: failed[0], ran: [] };
      }
      return { caughtBy: null, ran: [...unit, ...services] };
    } finally {
      write(file, text);
    }
  }

  async function close() {
    await Promise.all(
      [...processes.values()].map((child) => {
        const gone = new Promise((resolve) => child.once('exit', resolve));
        child.disconnect();
        return gone;
      }),
    );
  }

  return { judge, close };
}

function answer(child, patienceMs) {
  return new Promise((resolve) => {
    const finish = (said) => {
      clearTimeout(timer);
      child.off('message', finish);
      child.off('exit', left);
      resolve(said);
    };
    const left = () => finish({ failed: ['the tests ended their process'], ran: 0, gone: true });
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      finish({ failed: ['the tests hang'], ran: 0, gone: true });
    }, patienceMs);
    child.on('message', finish);
    child.on('exit', left);
  });
}
