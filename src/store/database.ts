import type { CopyRows } from './copy-rows.js';

/**
 * What the rooms know of a database. PostgreSQL and the embedded PGlite both give exactly this,
 * so every statement is written once, in the dialect of the oldest supported PostgreSQL (14).
 */
export interface Queryable {
  query<Row = Record<string, unknown>>(
    statement: Statement | LongStatement | string,
    values?: readonly unknown[],
  ): Promise<Result<Row>>;
  /** A statement may be sent before the one before it is answered. */
  readonly pipelines?: boolean;
  /** A long list of texts as this connection takes it fastest; absent where a plain list is all it takes. */
  textArray?(texts: ReadonlyArray<TextInPieces | null>): unknown;
  /** Such a list when the server has answered the statement it was for; its memory may serve the next. */
  release?(list: unknown): void;
  /** The same for numbers and short texts. */
  list?(values: ReadonlyArray<string | number | null>): unknown;
  /** Runs COPY statements, each of which takes the next table of the rows; absent where rows go as lists only. */
  copy?(statements: string, rows: CopyRows): Promise<void>;
}

/** A statement with a name is prepared once per connection. */
export interface Statement {
  name: string;
  text: string;
}

/** Several statements, or one that may take longer than a statement does. */
export interface LongStatement {
  text: string;
  limitMs: number;
}

export interface Result<Row> {
  rows: Row[];
  rowCount: number;
}

/** One text, or what it is put together of. */
export type TextInPieces = string | readonly string[];

export interface Database extends Queryable {
  readonly kind: 'postgres' | 'pglite';
  /** Commits when `work` returns, rolls back when it throws. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** Several statements in one string without parameters, in a transaction of their own. */
  script(sql: string, tx?: Queryable): Promise<void>;
  /** A connection of its own that can hold a lock and listen. */
  openSession(): Promise<Session>;
  /**
   * The same store for a caller who waits: a server that has stopped answering is STORE_UNAVAILABLE within a second
   * (and `extraMs`, for what takes longer), although what was asked may still take effect.
   */
  prompt(extraMs?: number): Database;
  /**
   * How connections reach the server, found out at the first call. Where statements turn out to be lost, they are not
   * prepared from then on. It takes one connection more for a moment; null where the server had none left.
   */
  pooling(): Promise<Pooling | null>;
  close(): Promise<void>;
}

export interface Pooling {
  /** Transactions of one connection run on several of the server's: no session holds a lock or hears a NOTIFY. */
  shared: boolean;
  /** Prepared statements are used, and found again. */
  keepsStatements: boolean;
}

export interface Session extends Queryable {
  /** True when no other process can share this store: then leases need no watching. */
  readonly embedded: boolean;
  listen(channel: string, onBell: () => void): Promise<void>;
  /** Called once when the connection is gone, unless `close` was called first. */
  onLost(fn: (error: Error) => void): void;
  close(): Promise<void>;
}
