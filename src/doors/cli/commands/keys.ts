import type { Cli, CommonOptions } from '../cli.js';
import { columns } from '../columns.js';
import { everyPage, PAGE } from '../every-page.js';
import { printable } from '../terminal.js';
import { withApi } from '../with-api.js';

/** `postrider keys …`: API keys of tenants. The token goes to standard output, once. */
export function keysCreate(
  cli: Cli,
  companyId: string,
  options: CommonOptions & { name: string; permission?: string; domain?: string[] },
): Promise<number> {
  return withApi(cli, options, async (call) => {
    const made = await call<Key & { token: string }>('POST', '/admin/keys', {
      companyId,
      name: options.name,
      ...(options.permission !== undefined && { permission: options.permission }),
      ...(options.domain !== undefined && { fromDomains: options.domain }),
    });
    cli.terminal.out(made.token);
    cli.terminal.note(
      `Key ${made.id} of ${made.companyId}, ${made.permission}. The token is not shown again.`,
    );
    return 0;
  });
}

export function keysList(
  cli: Cli,
  companyId: string | undefined,
  options: CommonOptions & { json?: boolean },
): Promise<number> {
  return withApi(cli, options, async (call) => {
    const keys = await everyPage(async (cursor) => {
      const query = new URLSearchParams({
        ...(companyId !== undefined && { companyId }),
        limit: String(PAGE),
        ...(cursor !== undefined && { cursor }),
      });
      const page = await call<{ keys: Key[]; nextCursor: string | null }>('GET', `/admin/keys?${query}`);
      return { rows: page.keys, next: page.nextCursor };
    });
    if (options.json) cli.terminal.out(JSON.stringify(keys, null, 2));
    else for (const line of columns(keys.map(row))) cli.terminal.out(line);
    return 0;
  });
}

export function keysRevoke(cli: Cli, id: string, options: CommonOptions): Promise<number> {
  return withApi(cli, options, async (call) => {
    const key = await call<Key>('DELETE', `/admin/keys/${encodeURIComponent(id)}`);
    cli.terminal.out(
      `Revoked ${printable(key.name)} of ${key.companyId}; every process refuses it from now on.`,
    );
    return 0;
  });
}

/** Seals again, with the first key of POSTRIDER_SECRET_KEYS, what older ones have sealed. */
export function keysRotate(cli: Cli, options: CommonOptions): Promise<number> {
  return withApi(cli, options, async (call) => {
    const { resealed, total } = await call<Rotation>('POST', '/admin/secrets/rotate');
    cli.terminal.out(`Sealed ${resealed} of ${total} secrets again; keys but the first can go.`);
    return 0;
  });
}

interface Rotation {
  resealed: number;
  total: number;
}

interface Key {
  id: string;
  companyId: string;
  name: string;
  hint: string;
  permission: string;
  fromDomains: string[] | null;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

function row(key: Key): string[] {
  const state = key.revokedAt !== null ? 'revoked' : (key.lastUsedAt ?? 'never used');
  const domains = key.fromDomains === null ? '' : key.fromDomains.join(',');
  return [key.id, key.companyId, `${key.hint}…`, key.permission, printable(key.name), state, domains];
}
