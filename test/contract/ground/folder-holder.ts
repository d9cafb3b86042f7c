/**
 * A process that opens the embedded store in the folder it is told, writes numbered rows until it is killed,
 * and says each number once its row is acknowledged.
 */
import { openDatabase } from '../../../src/store/index.js';

const folder = process.argv[2] ?? '';
try {
  const database = await openDatabase({ folder });
  await database.query('create table if not exists kept (n int primary key)');
  console.log('open');
  for (let n = 1; ; n++) {
    await database.query('insert into kept values ($1)', [n]);
    console.log(n);
  }
} catch (error) {
  console.log((error as { code?: string }).code ?? String(error));
  process.exit(1);
}
