import { readFileSync, statfsSync } from 'node:fs';

/**
 * Puts the temporary files of a run into memory, where there is enough of it: a database is copied in a tenth of the
 * processor time it takes on a disk, because that is spent on making a thousand files. What a SIGKILL leaves behind is the
 * same as on a disk; only a machine that goes down would show a difference. A folder that was chosen by TMPDIR stays.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env.TMPDIR || process.platform !== 'linux' || !isRoomy()) return;
  process.env.TMPDIR = FOLDER;
}

const FOLDER = '/dev/shm';
/** What a whole run holds there at once, several times over. */
const ROOM = 8 * 1024 ** 3;

function isRoomy(): boolean {
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, place, kind]) => place === FOLDER && kind === 'tmpfs');
  // Tests also run programs there.
  if (!mount || /\b(?:noexec|ro)\b/.test(mount[3]!)) return false;
  const { bavail, bsize } = statfsSync(FOLDER);
  return bavail * bsize > ROOM && process.availableMemory() > ROOM;
}
