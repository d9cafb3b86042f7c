import { existsSync } from 'node:fs';
import { installPackages } from './debian-packages.js';
import { type Attempt, type Service, unavailable } from './service.js';

/** A browser for the pages; what is handed to the tests as its URL is the path of the program. */
export const chromium: Service = {
  name: 'chromium',
  ways: [
    fromEnvironment,
    async () => findInstalled('local binary'),
    async () => (await installPackages('chromium')) ?? findInstalled('Debian package'),
  ],
};

async function fromEnvironment(): Promise<Attempt> {
  const path = process.env.TEST_CHROMIUM_PATH;
  if (!path) return unavailable('TEST_CHROMIUM_PATH is not set');
  if (!existsSync(path)) throw new Error(`TEST_CHROMIUM_PATH names ${path}, which does not exist`);
  return { running: true, url: path, origin: `TEST_CHROMIUM_PATH, ${path}` };
}

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

function findInstalled(origin: string): Attempt {
  const path = PATHS.find((candidate) => existsSync(candidate));
  return path
    ? { running: true, url: path, origin: `${origin} ${path}` }
    : unavailable('no Chromium is installed');
}
