import { inject, type TestContext } from 'vitest';
import {
  createEmbeddedFolder,
  createTestDatabase,
  createTestVhost,
  type TestDatabase,
} from '../../services/index.js';
import type { ChildOptions } from './child.js';

/**
 * The stores and brokers on which processes are killed, one for each track. They are removed when the test ends. The
 * test passes its context, because the global `onTestFinished` throws once a concurrent test has ended.
 */
export type KillStore = Pick<ChildOptions, 'database' | 'config'>;

type Test = Pick<TestContext, 'onTestFinished'>;

const ENGINE = { ringAgainMs: 1000 };

export async function postgresStores(test: Test, tracks: number): Promise<KillStore[]> {
  return (await databases(test, tracks)).map(({ url }) => ({ database: url }));
}

export async function embeddedStores(test: Test, tracks: number): Promise<KillStore[]> {
  const folders = await Promise.all(Array.from({ length: tracks }, createEmbeddedFolder));
  test.onTestFinished(async () => void (await Promise.all(folders.map(({ remove }) => remove()))));
  return folders.map(({ folder }) => ({ database: { folder } }));
}

export async function bullmqStores(test: Test, tracks: number): Promise<KillStore[]> {
  return (await databases(test, tracks)).map(({ url, name }) => ({
    database: url,
    config: {
      engine: { ...ENGINE, name: 'bullmq' },
      redis: { url: inject('redisUrl')!, prefix: `kill-${name}` },
    },
  }));
}

export async function rabbitmqStores(test: Test, tracks: number): Promise<KillStore[]> {
  const vhosts = await Promise.all(Array.from({ length: tracks }, () => createTestVhost()));
  test.onTestFinished(async () => void (await Promise.all(vhosts.map((vhost) => vhost.drop()))));
  return (await databases(test, tracks)).map(({ url }, track) => ({
    database: url,
    config: {
      engine: { ...ENGINE, name: 'rabbitmq' },
      rabbitmq: { url: vhosts[track]!.url },
      retry: { preset: 'broker' },
    },
  }));
}

async function databases(test: Test, tracks: number): Promise<TestDatabase[]> {
  const made = await Promise.all(Array.from({ length: tracks }, () => createTestDatabase()));
  test.onTestFinished(async () => void (await Promise.all(made.map((database) => database.drop()))));
  return made;
}
