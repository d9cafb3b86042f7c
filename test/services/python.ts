import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installPackages } from './debian-packages.js';
import { type Attempt, type Service, unavailable } from './service.js';

/** Python, whose email package reads our messages; what is handed to the tests is the path of the program. */
export const python: Service = {
  name: 'python',
  ways: [
    fromEnvironment,
    async () => findInstalled('local binary'),
    async () => (await installPackages('python3')) ?? findInstalled('Debian package'),
  ],
};

async function fromEnvironment(): Promise<Attempt> {
  const path = process.env.TEST_PYTHON_PATH;
  if (!path) return unavailable('TEST_PYTHON_PATH is not set');
  if (!existsSync(path)) throw new Error(`TEST_PYTHON_PATH names ${path}, which does not exist`);
  return { running: true, url: path, origin: `TEST_PYTHON_PATH, ${path}` };
}

function findInstalled(origin: string): Attempt {
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)];
  const path = folders.map((folder) => join(folder, 'python3')).find((candidate) => existsSync(candidate));
  return path
    ? { running: true, url: path, origin: `${origin} ${path}` }
    : unavailable('no python3 is installed');
}
