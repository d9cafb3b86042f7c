import { existsSync } from 'node:fs';
import { installPackages } from './debian-packages.js';
import { type Attempt, type Service, unavailable } from './service.js';

/**
 * Debian's Postfix for the tests of the SMTP client: the server itself and smtp-sink, which comes with it.
 * What is handed to the tests is the folder of its commands; they start servers of their own from it.
 */
export const postfix: Service = {
  name: 'postfix',
  ways: [
    fromEnvironment,
    async () => findInstalled('local binaries in'),
    async () => (await installPackages('postfix')) ?? findInstalled('Debian package in'),
  ],
};

async function fromEnvironment(): Promise<Attempt> {
  const folder = process.env.TEST_POSTFIX_DIR;
  if (!folder) return unavailable('TEST_POSTFIX_DIR is not set');
  if (!existsSync(`${folder}/postfix`)) {
    throw new Error(`TEST_POSTFIX_DIR names ${folder}, which has no postfix`);
  }
  return { running: true, url: folder, origin: `TEST_POSTFIX_DIR, ${folder}` };
}

const FOLDER = '/usr/sbin';

function findInstalled(origin: string): Attempt {
  if (process.getuid?.() !== 0) return unavailable('Postfix is started only by root');
  if (!existsSync(`${FOLDER}/postfix`) || !existsSync(`${FOLDER}/smtp-sink`)) {
    return unavailable('no postfix is installed');
  }
  return { running: true, url: FOLDER, origin: `${origin} ${FOLDER}` };
}
