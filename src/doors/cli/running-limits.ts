import { isPostriderError } from '../../kernel/index.js';
import type {
  QuotaEntry,
  QuotaPage,
  Quotas,
  RateLimitCheck,
  RateLimitEntry,
  RateLimits,
} from '../../policy/index.js';
import type { ApiCall } from './application.js';

/** The limits and quotas of a Postrider that runs beside this command, asked through its API. */
export function runningLimits(call: ApiCall): { rateLimits: RateLimits; quotas: Quotas } {
  const removed = async (path: string): Promise<boolean> => {
    try {
      await call('DELETE', path);
      return true;
    } catch (error) {
      if (isPostriderError(error) && error.code === 'NOT_FOUND') return false;
      throw error;
    }
  };
  const ofType = (type: string) => `/admin/rate-limits/${encodeURIComponent(type)}`;
  const ofQuota = ({ companyId, period }: { companyId: string; period: string }) =>
    `/admin/quotas/${encodeURIComponent(companyId)}/${encodeURIComponent(period)}`;
  return {
    rateLimits: {
      list: async ({ companyId } = {}) =>
        (await call<{ rateLimits: RateLimitEntry[] }>('GET', `/admin/rate-limits${query({ companyId })}`))
          .rateLimits,
      set: ({ type, ...change }) => call('PUT', ofType(type), change),
      remove: ({ type, companyId }) => removed(`${ofType(type)}${query({ companyId })}`),
      async check(asked) {
        const check = await call<RateLimitCheck>('POST', '/admin/rate-limits/check', asked);
        return { ...check, resetAt: check.resetAt && new Date(check.resetAt) };
      },
      reset: async (whose) =>
        (await call<{ counted: number }>('POST', '/admin/rate-limits/reset', whose)).counted,
    },
    quotas: {
      async list({ companyId, limit, cursor } = {}) {
        const page = await call<QuotaPage>('GET', `/admin/quotas${query({ companyId, limit, cursor })}`);
        return { ...page, quotas: page.quotas.map(withTime) };
      },
      set: async ({ limit, ...which }) => withTime(await call<QuotaEntry>('PUT', ofQuota(which), { limit })),
      remove: (which) => removed(ofQuota(which)),
    },
  };
}

function query(values: Record<string, string | number | undefined>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) params.set(name, String(value));
  return params.size === 0 ? '' : `?${params}`;
}

/** Instants come as text. */
function withTime(quota: QuotaEntry): QuotaEntry {
  return { ...quota, resetAt: new Date(quota.resetAt) };
}
