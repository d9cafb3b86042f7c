import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Door, openDoor } from './ground/open-door.js';
import { anEmail } from './ground/open-journey.js';

/** Lists that are read page by page: together the pages hold everything once, in order. */
let door: Door;
beforeAll(async () => {
  door = await openDoor({ config: { access: { secretKeys: `one:${'A'.repeat(43)}=` } } });
});
afterAll(() => door.close());

async function pagesOf(read: (before: string | null) => Promise<{ ids: string[]; next: string | null }>) {
  const pages: string[][] = [];
  let before: string | null = null;
  do {
    const page = await read(before);
    pages.push(page.ids);
    before = page.next;
    if (pages.length > 50) throw new Error('The pages have no end.');
  } while (before !== null);
  return pages;
}

test.each([1, 2, 3, 7, 100])(
  'the audit log in pages of %d → each entry once, the newest first',
  async (limit) => {
    for (let n = 0; n < 7; n++)
      await door.call('POST', '/admin/tenants', { body: { companyId: `audited-${limit}-${n}`, name: 'x' } });
    const { rows } = await door.pool.query('select id from postrider.audit_log order by id desc');
    const all: string[] = rows.map(({ id }) => id).slice(0, 40);
    const pages = await pagesOf(async (before) => {
      const query = `?limit=${limit}${before === null ? '' : `&before=${before}`}`;
      const { status, body, text } = await door.call('GET', `/admin/audit${query}`);
      expect(status, text).toBe(200);
      return { ids: body.entries.map(({ id }: { id: string }) => id), next: body.next };
    });
    expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
    expect(pages.flat().slice(0, 40)).toEqual(all);
  },
);

test.each([1, 2, 3, 7, 100])(
  "a webhook's deliveries in pages of %d → each once, the newest first",
  async (limit) => {
    const { id } = await door.postrider.webhooks.create({
      url: 'https://example.net/',
      companyId: `told-${limit}`,
    });
    const other = await door.postrider.webhooks.create({
      url: 'https://example.net/',
      companyId: `told-${limit}`,
    });
    for (let n = 0; n < 7; n++) {
      const { emailId } = await door.postrider.schedule(
        anEmail({ companyId: `told-${limit}` }),
        new Date(Date.now() + 3_600_000),
      );
      await door.postrider.cancel(emailId);
    }
    const { rows } = await door.pool.query(
      'select id from postrider.webhook_deliveries where endpoint_id = $1 order by id desc',
      [id],
    );
    expect(rows.length).toBeGreaterThanOrEqual(7);
    const all: string[] = rows.map((row) => row.id);
    const pages = await pagesOf(async (before) => {
      const query = `?limit=${limit}${before === null ? '' : `&cursor=${before}`}`;
      const { status, body, text } = await door.call('GET', `/v1/webhooks/${id}/deliveries${query}`);
      expect(status, text).toBe(200);
      return { ids: body.deliveries.map((one: { id: string }) => one.id), next: body.nextCursor };
    });
    expect(pages.flat()).toEqual(all);
    for (const { id: endpoint } of [{ id }, other]) await door.postrider.webhooks.remove(endpoint);
  },
);

test.each([
  ['/admin/tenants', 'tenants', 'companyId', 4],
  ['/admin/keys', 'keys', 'id', 3],
])('%s in pages of two → each once, and beginnings find companies', async (path, rows, key, count) => {
  for (const n of [1, 2, 3, 4])
    await door.call('POST', '/admin/tenants', { body: { companyId: `paged-${n}` } });
  for (const n of [1, 2, 3])
    await door.call('POST', '/admin/keys', { body: { companyId: 'paged-2', name: `key ${path} ${n}` } });
  const narrow = rows === 'tenants' ? 'startsWith=paged-' : 'companyId=paged-2';
  const all = (await door.call('GET', `${path}?${narrow}&limit=1000`)).body;
  expect(all.nextCursor).toBeNull();
  expect(all[rows].length).toBeGreaterThanOrEqual(count);
  const pages = await pagesOf(async (cursor) => {
    const query = `${narrow}&limit=2${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const { status, body, text } = await door.call('GET', `${path}?${query}`);
    expect(status, text).toBe(200);
    return { ids: body[rows].map((row: Record<string, string>) => row[key]), next: body.nextCursor };
  });
  expect(pages.flat()).toEqual(all[rows].map((row: Record<string, string>) => row[key]));
  expect(pages.every((page) => page.length <= 2)).toBe(true);
});
