/**
 * What may be passed as `tx`: the open transaction of each driver that is known, by what only a transaction has. A
 * pool, a client that opens a connection per call, or a URL does not compile; whether the transaction is open is seen
 * when it is used.
 */
export type CallerTransaction =
  | QueryTransaction
  | PostgresJsTransaction
  | PostgresJsReserved
  | DrizzleTransaction
  | KyselyTransaction
  | KnexTransaction
  | PrismaTransaction
  | TypeormTransaction;

/** A pg client on which begin was said, PGlite's transaction, Postrider's own, or anything with query(text, values). */
interface QueryTransaction {
  // biome-ignore lint/suspicious/noExplicitAny: what each driver takes and answers
  query(text: string, values?: any[]): PromiseLike<any>;
  /** A pg pool. */
  totalCount?: never;
  /** A PGlite, or a DataSource of TypeORM. */
  transaction?: never;
}

interface PostgresJsTransaction {
  // biome-ignore lint/suspicious/noExplicitAny: what each driver takes and answers
  unsafe(text: string, values?: any[]): PromiseLike<any>;
  /** Absent from the pool. */
  savepoint: unknown;
}

/** What sql.reserve() gives, on which begin was said. */
interface PostgresJsReserved {
  // biome-ignore lint/suspicious/noExplicitAny: what each driver takes and answers
  unsafe(text: string, values?: any[]): PromiseLike<any>;
  /** Absent from the pool. */
  release: unknown;
}

interface DrizzleTransaction {
  execute: unknown;
  /** Absent from the database. */
  rollback: unknown;
}

interface KyselyTransaction {
  executeQuery: unknown;
  isTransaction: true;
}

interface KnexTransaction {
  raw: unknown;
  /** Absent from a Knex without a transaction. */
  isCompleted: unknown;
}

interface PrismaTransaction {
  $queryRawUnsafe: unknown;
  /** The client. */
  $connect?: never;
}

/** The manager of a transaction, or the query runner. */
interface TypeormTransaction {
  queryRunner?: unknown;
  createQueryBuilder: unknown;
  getRepository: unknown;
  /** A DataSource. */
  createQueryRunner?: never;
}
