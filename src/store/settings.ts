import { type Settings, setting } from '../kernel/index.js';

/** Where the ledger lives. */
export const storeSettings = {
  database: {
    url: setting.url({
      env: ['DATABASE_URL'],
      default: null,
      schemes: ['postgres', 'postgresql'],
      says: 'The PostgreSQL database to use; without it an embedded one is kept in `database.dataDir`.',
    }),
    dataDir: setting.text({
      env: ['POSTRIDER_DATA_DIR'],
      default: '.postrider',
      form: 'a folder',
      says: 'The folder of the embedded database, used by one process at a time.',
    }),
    region: setting.text({
      env: ['POSTRIDER_REGION'],
      default: null,
      form: 'the name of a region',
      says: 'Where this database is; with `regions`, the one of emails nobody gives a region, and of tenants and keys: the first unless said. Routes with `regions` take only emails of databases there; see ROUTES.md.',
    }),
    prepare: setting.boolean({
      env: ['POSTRIDER_DATABASE_PREPARE'],
      default: true,
      says: 'Whether statements are prepared. Set false behind a pooler that shares connections and does not keep them; a process that finds that out stops preparing by itself.',
    }),
    poolSize: setting.integer({
      env: ['POSTRIDER_DATABASE_POOL_SIZE'],
      default: 10,
      min: 2,
      max: 500,
      says: 'How many PostgreSQL connections this process may hold, besides the one that keeps its lease and one at its start; see OPERATIONS.md for the pool of a pooler.',
    }),
    patienceMs: setting.integer({
      env: ['POSTRIDER_DATABASE_PATIENCE_MS'],
      default: 800,
      min: 100,
      max: 60_000,
      says: 'How long PostgreSQL may keep silent, or take to connect, before a call gives up with STORE_UNAVAILABLE; more for a database that sleeps when it is not used.',
    }),
  },
} satisfies Settings;
