import { isPostriderError, PostriderError } from '../../kernel/index.js';
import type {
  ImportOptions,
  ImportReport,
  Suppression,
  SuppressionPage,
  Suppressions,
} from '../../recipients/index.js';
import type { ApiCall } from './application.js';

/** The people of a Postrider that runs beside this command, and whom it must not write to, asked through its API. */
export function runningPeople(call: ApiCall): RunningPeople {
  const query = (fields: Record<string, string | number | undefined>) => {
    const asked = new URLSearchParams();
    for (const [name, value] of Object.entries(fields))
      if (value !== undefined) asked.set(name, String(value));
    return asked;
  };
  const pathOf = (email: string) => `/v1/suppressions/${encodeURIComponent(email)}`;
  const add = (suppressions: readonly unknown[], companyId: string | undefined) =>
    call<Added>('POST', '/v1/suppressions', { suppressions, companyId });
  const list: Suppressions['list'] = ({ companyId, reason, limit, cursor } = {}) =>
    call<SuppressionPage>('GET', `/v1/suppressions?${query({ companyId, reason, limit, cursor })}`);
  return {
    async importRecipients(people, { companyId, onProgress }) {
      const report = { created: 0, updated: 0 };
      for await (const { rows, done } of pages(people)) {
        const answer = await numbered(done, rows.length, () =>
          call<ImportReport>('POST', '/v1/recipients', { recipients: rows, companyId }),
        );
        report.created += answer.created;
        report.updated += answer.updated;
        onProgress?.(done + rows.length);
      }
      return report;
    },
    suppressions: {
      add: async (entries, { companyId } = {}) => (await add(entries, companyId)).added,
      remove: async ({ email, reason, category }, { companyId } = {}) =>
        (
          await call<{ removed: number }>(
            'DELETE',
            `${pathOf(email)}?${query({ companyId, reason: reason ?? undefined, category: category ?? undefined })}`,
          )
        ).removed,
      find: async (email, { companyId } = {}) =>
        (await call<{ suppressions: Suppression[] }>('GET', `${pathOf(email)}?${query({ companyId })}`))
          .suppressions,
      list,
      async importAll(people, { companyId } = {}) {
        const report = { added: 0, known: 0 };
        for await (const { rows, done } of pages(people)) {
          const answer = await numbered(done, rows.length, () => add(rows, companyId));
          report.added += answer.added;
          report.known += answer.known;
        }
        return report;
      },
      async *exportAll(options = {}) {
        let cursor: string | null = null;
        do {
          const page: SuppressionPage = await list({
            ...options,
            limit: 1000,
            ...(cursor !== null && { cursor }),
          });
          yield* page.suppressions;
          cursor = page.nextCursor;
        } while (cursor !== null);
      },
    },
  };
}

export interface RunningPeople {
  importRecipients(
    people: AsyncIterable<unknown> | Iterable<unknown>,
    options: ImportOptions,
  ): Promise<ImportReport>;
  suppressions: Suppressions;
}

interface Added {
  added: number;
  known: number;
}

const PAGE_ROWS = 500;

async function* pages(rows: AsyncIterable<unknown> | Iterable<unknown>) {
  let page: unknown[] = [];
  let done = 0;
  for await (const row of rows) {
    page.push(row);
    if (page.length < PAGE_ROWS) continue;
    yield { rows: page, done };
    done += page.length;
    page = [];
  }
  if (page.length > 0) yield { rows: page, done };
}

/** A refusal names the row of the whole, not that of its page. */
async function numbered<T>(done: number, rows: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isPostriderError(error) || error.field === undefined || error.status >= 500) throw error;
    const named = rows === 1 ? `[0].${error.field}` : error.field;
    const field = named.replace(/^\[(\d+)\]/, (_, row: string) => `[${done + Number(row)}]`);
    throw new PostriderError(error.code, error.message.replaceAll(error.field, field), {
      field,
      cause: error,
    });
  }
}
