import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A mark that tells a process from a later one with the same id: its start time. Undefined when the process
 * is gone; a zombie counts as gone. Nothing is signalled without comparing marks.
 */
export function processMark(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program's name is in parentheses and may hold spaces; fields are counted after the last ')'.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return process.platform === 'linux' ? undefined : markFromPs(pid);
  }
}

function markFromPs(pid: number): string | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const line = (stdout ?? '').trim();
  return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
}
