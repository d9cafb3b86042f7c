import { join } from 'node:path';
import type * as Store from '../../src/store/index.js';
import { queryOnce } from './postgres-server.js';

/** A migrated database that test files copy theirs from. Needs the compiled sources. */
export interface PostgresTemplate {
  name: string;
  /** For a server that outlives the run. */
  drop(): Promise<void>;
}

export async function makePostgresTemplate(root: string, adminUrl: string): Promise<PostgresTemplate> {
  const name = `postrider_test_template_${process.pid}`;
  const drop = async () => void (await queryOnce(adminUrl, `drop database if exists ${name} with (force)`));
  await drop();
  await queryOnce(adminUrl, `create database ${name}`);
  const url = Object.assign(new URL(adminUrl), { pathname: `/${name}` });
  const store = (await import(join(root, '.build/src/store/index.js'))) as typeof Store;
  const database = await store.openDatabase(url.href);
  await store.migrate(database);
  await database.close();
  return { name, drop };
}
