import { PostriderError } from '../../../kernel/index.js';
import type { Cli, CommonOptions } from '../cli.js';
import { columns } from '../columns.js';
import { everyPage, PAGE } from '../every-page.js';
import { printable } from '../terminal.js';
import { withApi } from '../with-api.js';

/** `postrider tenants …`: the companies that send, and from which domains. */
export function tenantsCreate(
  cli: Cli,
  companyId: string,
  options: CommonOptions & { name?: string; domain?: string[]; contact?: string },
): Promise<number> {
  return withApi(cli, options, async (call) => {
    const made = await call<Tenant>('POST', '/admin/tenants', {
      companyId,
      ...(options.name !== undefined && { name: options.name }),
      ...(options.domain !== undefined && { fromDomains: options.domain }),
      ...(options.contact !== undefined && { contact: options.contact }),
    });
    cli.terminal.out(describe(made).join('  '));
    return 0;
  });
}

export function tenantsList(cli: Cli, options: CommonOptions & { json?: boolean }): Promise<number> {
  return withApi(cli, options, async (call) => {
    const tenants = await everyPage(async (cursor) => {
      const query = new URLSearchParams({ limit: String(PAGE), ...(cursor !== undefined && { cursor }) });
      const page = await call<{ tenants: Tenant[]; nextCursor: string | null }>(
        'GET',
        `/admin/tenants?${query}`,
      );
      return { rows: page.tenants, next: page.nextCursor };
    });
    if (options.json) cli.terminal.out(JSON.stringify(tenants, null, 2));
    else for (const line of columns(tenants.map(describe))) cli.terminal.out(line);
    return 0;
  });
}

/** `--domain` replaces the list, `--any-domain` removes it. */
export function tenantsChange(
  cli: Cli,
  companyId: string,
  options: CommonOptions & {
    domain?: string[];
    anyDomain?: boolean;
    disabled?: boolean;
    contact?: string | null;
  },
): Promise<number> {
  const change = {
    ...(options.domain !== undefined && { fromDomains: options.domain }),
    ...(options.anyDomain && { fromDomains: null }),
    ...(options.disabled !== undefined && { disabled: options.disabled }),
    ...(options.contact !== undefined && { contact: options.contact }),
  };
  if (Object.keys(change).length === 0)
    throw new PostriderError('INVALID_PAYLOAD', 'Say --domain or --any-domain.', { field: '--domain' });
  return withApi(cli, options, async (call) => {
    const tenant = await call<Tenant>('PATCH', `/admin/tenants/${encodeURIComponent(companyId)}`, change);
    cli.terminal.out(describe(tenant).join('  '));
    return 0;
  });
}

interface Tenant {
  companyId: string;
  name: string | null;
  fromDomains: string[] | null;
  disabledAt: string | null;
}

function describe(tenant: Tenant): string[] {
  const domains = tenant.fromDomains === null ? 'any domain' : tenant.fromDomains.join(',') || 'no domain';
  const state = tenant.disabledAt === null ? 'enabled' : 'disabled';
  return [tenant.companyId, state, domains, printable(tenant.name ?? '')];
}
