/**
 * Which tests a change can break. A file depends on every file or folder of the repository that it names in a string: in
 * an import, a path it reads, a program it starts. A test is affected by a change to whatever it names, directly or
 * through others; a file that every test depends on affects all. Too many rather than too few.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** Every test depends on these. */
const EVERYTHING = /^(?:package(?:-lock)?\.json|tsconfig[^/]*\.json|vitest\.config\.ts|\.ci\/.*)$/;
/** What brings up the servers is named by no test. */
const SERVERS = /^test\/services\//;
/** What a browser is shown is built before the tests, which do not name it. */
const PAGES = /^(?:dashboard\/(?!.*\.test\.ts$)|scripts\/build-dashboard)/;
/** These read whole folders, in a second. */
const RULES = /^test\/architecture\//;
/** Folders that are also named by their word alone. */
const ASSETS = new Set(['migrations', 'templates', 'locales', 'examples', 'deploy']);
const CODE = /\.(?:ts|tsx|mjs|js|css|html|json|py)$/;
const TEST = /\.test\.ts$/;

/** Changed since `base`, committed or not, and new files that git does not ignore. */
export function changedFiles(root, base) {
  const changed = git(root, 'diff', '--name-only', '--no-renames', base);
  return [...new Set([...changed, ...git(root, 'ls-files', '--others', '--exclude-standard')])];
}

export function affectedTests(root, changed) {
  const files = git(root, 'ls-files', '--cached', '--others', '--exclude-standard');
  const known = new Set(files.filter((file) => existsSync(join(root, file))));
  const tests = [...known].filter((file) => TEST.test(file));
  if (changed.some((file) => EVERYTHING.test(file))) return tests;

  const named = new Map();
  for (const file of known) {
    if (CODE.test(file)) named.set(file, namedIn(file, readFileSync(join(root, file), 'utf8')));
  }
  const affected = new Set(changed);
  const folders = new Set();
  const spread = (file) => {
    affected.add(file);
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) folders.add(folder);
  };
  for (const file of changed) spread(file);
  for (let before = -1; before !== affected.size; ) {
    before = affected.size;
    for (const [file, names] of named) {
      if (affected.has(file)) continue;
      if (names.some((name) => affected.has(name) || isFolderOfChange(name))) spread(file);
    }
  }
  // A folder named as a whole is read as a whole: what was changed in it counts, not what merely depends on a change.
  function isFolderOfChange(name) {
    return folders.has(name) && changed.some((file) => file.startsWith(`${name}/`));
  }
  const servers = changed.some((file) => SERVERS.test(file));
  const pages = changed.some((file) => PAGES.test(file));
  return tests.filter(
    (file) =>
      affected.has(file) ||
      RULES.test(file) ||
      (servers && isServiceTest(file)) ||
      (pages && file.startsWith('test/dashboard/')),
  );
}

export function isServiceTest(file) {
  return /^test\/(?!architecture\/|long\/)/.test(file);
}

/** Paths of the repository in the strings of a file: relative to it, or from the root; compiled ones by their source. */
function namedIn(file, text) {
  const names = [];
  for (const [, string] of text.matchAll(/['"`]([\w@./$-]*[\w/])['"`]/g)) {
    const path =
      string.startsWith('.') && !string.startsWith('.build/') ? posix.join(dirname(file), string) : string;
    const inRoot = path.replace(/^(?:\.\.\/)*(?:\.build\/)?/, '').replace(/\/$/, '');
    if (!inRoot.includes('/') && !(string.startsWith('.') ? inRoot : ASSETS.has(inRoot))) continue;
    if (inRoot.startsWith('bundled/programs/')) names.push('test/services/bundle-programs.ts');
    names.push(
      inRoot,
      inRoot.replace(/\.js$/, '.ts'),
      inRoot.replace(/\.js$/, '.tsx'),
      `${inRoot}.ts`,
      `${inRoot}.tsx`,
    );
  }
  return names;
}

function git(root, ...args) {
  const out = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 });
  return out.split('\n').filter((line) => line !== '');
}
