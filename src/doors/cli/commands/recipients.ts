import { createReadStream } from 'node:fs';
import { PostriderError } from '../../../kernel/index.js';
import { type ImportReport, ROW_FORMATS, type RowFormat, readRows } from '../../../recipients/index.js';
import type { Application } from '../application.js';
import type { Cli, CommonOptions } from '../cli.js';
import { progress } from '../progress.js';
import { runningPeople } from '../running-people.js';
import { withStore } from '../with-store.js';

/** `postrider recipients import`: people from a CSV or NDJSON file, any number of them, read as they are written. */
export function recipientsImport(cli: Cli, file: string, options: ImportCommandOptions): Promise<number> {
  const format = formatOf(file, options.format);
  const importing = async (people: Pick<Application, 'importRecipients'>): Promise<number> => {
    const report = await progress(cli.terminal, 'Importing', async (say) => {
      let told = 0;
      return people.importRecipients(readRows(createReadStream(file), format), {
        ...(options.company !== undefined && { companyId: options.company }),
        onProgress(done) {
          if (done - told < TELL_EVERY) return;
          told = done;
          say(`  ${done}`);
        },
      });
    });
    presentReport(cli, report);
    return 0;
  };
  return withStore(cli, options, 'recipients', importing, (call) => importing(runningPeople(call)));
}

export interface ImportCommandOptions extends CommonOptions {
  company?: string;
  format?: string;
}

export function formatOf(file: string, asked: string | undefined): RowFormat {
  const ending = /\.(csv|ndjson|jsonl)$/i.exec(file)?.[1]?.toLowerCase();
  const named = asked ?? (ending === 'jsonl' ? 'ndjson' : ending);
  const format = ROW_FORMATS.find((known) => known === named);
  if (format !== undefined) return format;
  throw new PostriderError('INVALID_PAYLOAD', '--format is csv or ndjson.', { field: '--format' });
}

function presentReport(cli: Cli, { created, updated }: ImportReport): void {
  cli.terminal.out(`${created} created, ${updated} updated`);
}

const TELL_EVERY = 20_000;
