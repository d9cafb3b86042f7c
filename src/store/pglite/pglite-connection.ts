/** The part of PGlite we use: the real object has it, and so has the client of the one in a thread. */
export interface PgliteConnection {
  query(text: string, values?: unknown[]): Promise<PgliteResult>;
  exec(sql: string): Promise<unknown>;
  transaction<T>(work: (tx: PgliteTransaction) => Promise<T>): Promise<T>;
  listen(channel: string, fn: (payload: string) => void): Promise<unknown>;
  close(): Promise<void>;
}

export interface PgliteTransaction {
  query(text: string, values?: unknown[]): Promise<PgliteResult>;
  exec(sql: string): Promise<unknown>;
}

export interface PgliteResult {
  rows: unknown[];
  affectedRows?: number;
}
