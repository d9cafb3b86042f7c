/** A list that is read page by page, whole: commands print all of it. */
export async function everyPage<Row>(
  read: (cursor: string | undefined) => Promise<{ rows: readonly Row[]; next: string | null | undefined }>,
): Promise<Row[]> {
  const all: Row[] = [];
  let cursor: string | undefined;
  do {
    const { rows, next } = await read(cursor);
    for (const row of rows) all.push(row);
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  return all;
}

/** Rows a page. */
export const PAGE = 1000;
