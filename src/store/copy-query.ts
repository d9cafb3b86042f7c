import type { CopyRows } from './copy-rows.js';
import pg from './node-postgres.js';

/**
 * COPY statements and all their rows in one go: the server needs no answer before it reads rows, and passes over those
 * of a statement that failed. The driver has queries of its own kind only for what waits for each answer.
 */
export class CopyQuery extends pg.Query {
  constructor(
    private readonly copies: string,
    private readonly source: CopyRows,
    done: (error: Error | null) => void,
  ) {
    super({ text: copies }, done as (error: Error | undefined) => void);
  }

  override submit = (connection: pg.Connection): void => {
    const { stream } = connection;
    if (!stream.writable) return;
    stream.cork();
    connection.query(this.copies);
    for (const message of this.source.messages()) stream.write(message);
    stream.uncork();
  };

  /** The driver would say here that there is nothing to copy. */
  handleCopyInResponse(): void {}
}
