/** What metrics are counted apart by, and which domains and broadcasts alone: from a query's ids to names and back. */
import { invalidPayload, isUuid } from '../../../kernel/index.js';
import type { EmailMetricsQuery, MetricCount } from '../../../views/index.js';
import type { ResendRooms } from './resend-rooms.js';

export interface Dimensions extends Pick<EmailMetricsQuery, 'ids' | 'domains' | 'broadcasts' | 'apart'> {
  byPeriod: boolean;
  /** What a row says it is of. */
  labelOf(count: MetricCount): Record<string, string | null | undefined>;
}

export async function readDimensions(
  query: Record<string, string>,
  rooms: Pick<ResendRooms, 'domains' | 'broadcasts'>,
  companyId: string,
): Promise<Dimensions> {
  const named = listed(query.dimensions);
  if (named.some((one) => !['period', 'domain', 'email', 'broadcast'].includes(one)))
    throw invalidPayload('dimensions', 'may be period, domain, email, broadcast, or nothing');
  const has = (name: string) => named.includes(name);
  const ids = idsOf(query, 'email_id');
  const broadcastIds = idsOf(query, 'broadcast_id');
  const domainIds = idsOf(query, 'domain_id');
  if ((has('email') || ids) && (has('broadcast') || broadcastIds))
    throw invalidPayload('dimensions', 'are of emails or of broadcasts, not of both');
  if (has('email') && !ids)
    throw invalidPayload('email_id', 'says which emails, where they are counted one by one');
  const domains = has('domain') || domainIds ? await rooms.domains.list(companyId) : [];
  const broadcasts = has('broadcast') || broadcastIds ? await rooms.broadcasts.list(companyId) : [];
  const known = domainIds?.map((id) => domains.find((domain) => domain.id === id)?.name);
  if (known?.includes(undefined)) throw invalidPayload('domain_id', 'is not the id of a domain');
  if (broadcastIds?.some((id) => !broadcasts.some((broadcast) => broadcast.id === id)))
    throw invalidPayload('broadcast_id', 'is not the id of a broadcast');
  return {
    byPeriod: has('period'),
    ids,
    domains: (known as string[] | undefined) ?? null,
    broadcasts: broadcastIds,
    apart: (['domain', 'broadcast', 'email'] as const).filter(has),
    labelOf: (count) => ({
      ...(has('period') && { period: count.period }),
      ...(has('domain') && {
        domain_id: domains.find(({ name }) => name === count.domain)?.id,
        domain_name: count.domain,
      }),
      ...(has('broadcast') && {
        broadcast_id: count.broadcast,
        broadcast_name: broadcasts.find(({ id }) => id === count.broadcast)?.name,
      }),
      ...(has('email') && { email_id: count.email }),
    }),
  };
}

function idsOf(query: Record<string, string>, field: string): string[] | null {
  if (query[field] === undefined) return null;
  const ids = listed(query[field]).map((id) => id.toLowerCase());
  if (ids.every(isUuid)) return ids;
  throw invalidPayload(field, 'must be ids');
}

export function listed(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .filter((one) => one !== '')
    .slice(0, 100);
}
