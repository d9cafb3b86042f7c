import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect } from 'vitest';
import { type ConfigOverrides, createPostrider, type Postrider } from '../../../src/index.js';
import { silentLogger } from '../../../src/kernel/index.js';
import { createTestDatabase } from '../../services/index.js';
import { spawnChild } from './spawn-child.js';

/** A store with a Postrider of the test's own, which prepares and repeats, and processes that die in the middle of an act. */
export interface ActGround {
  postrider: Postrider;
  /** Another one, with other settings. */
  open(config: ConfigOverrides): Postrider;
  rows<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** A process that is asked to do this and dies at that place. */
  dieAt(place: string, act: Act): Promise<void>;
  end(): Promise<void>;
}

export interface Act {
  /** Of Postrider, such as `deadLetters.retry`; without it the process works until it comes there by itself. */
  method?: string;
  args?: unknown[];
  config?: Pick<ConfigOverrides, 'access' | 'webhooks'>;
}

export const newSecretKey = (name: string) => `${name}:${randomBytes(32).toString('base64')}`;

export async function openActGround(config: ConfigOverrides): Promise<ActGround> {
  const store = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: store.url, max: 2 });
  pool.on('error', () => undefined); // dropping the database at the end ends idle sessions
  const opened: Postrider[] = [];
  const open = (settings: ConfigOverrides) => {
    const postrider = createPostrider({
      database: store.url,
      from: { address: 'noreply@example.com' },
      logger: silentLogger,
      config: { email: { mode: 'console' }, limits: { enabled: false }, ...settings },
    });
    opened.push(postrider);
    return postrider;
  };
  const postrider = open(config);
  await postrider.ready();
  return {
    postrider,
    open,
    rows: async (sql, values = []) => (await pool.query(sql, values)).rows,
    async dieAt(place, { method, args = [], config: own }) {
      const child = spawnChild({
        ...{ database: store.url, smtpPort: 1, work: method === undefined, killAt: place },
        config: { ...config, ...own },
      });
      if (method !== undefined) {
        await child.next('ready');
        child.say({ do: 'act', method, args });
      }
      expect(await child.gone, child.output()).toBe('SIGKILL');
      expect(child.diedAt()).toBe(place);
    },
    async end() {
      await Promise.all(opened.map((one) => one.stop({ deadlineMs: 1000 })));
      await pool.end();
      await store.drop();
    },
  };
}
