import { isPostriderError } from '../../kernel/index.js';
import type { Templates } from '../../render/index.js';
import type { ApiCall } from './application.js';

/**
 * Companies' own templates of a Postrider that runs beside this command, asked through its API: the same answers and
 * refusals as those of the room itself. Instants come back as text.
 */
export function runningTemplates(call: ApiCall): ChangingTemplates {
  const pathOf = ({ type, lang }: { type: string; lang: string }) =>
    `/admin/templates/${encodeURIComponent(type)}/${encodeURIComponent(lang)}`;
  const query = (companyId: string | undefined) =>
    companyId === undefined ? '' : `?companyId=${encodeURIComponent(companyId)}`;
  return {
    list: async ({ companyId } = {}) =>
      (await call<ListAnswer>('GET', `/admin/templates${query(companyId)}`)).overrides,
    listVersions: async (key) =>
      (await call<VersionsAnswer>('GET', `${pathOf(key)}${query(key.companyId)}`)).versions,
    saveDraft: (key, content, updatedBy) =>
      call('PUT', `${pathOf(key)}/draft`, { ...content, companyId: key.companyId, updatedBy }),
    async discardDraft(key) {
      try {
        await call('DELETE', `${pathOf(key)}/draft${query(key.companyId)}`);
        return true;
      } catch (error) {
        if (isPostriderError(error) && error.code === 'NOT_FOUND') return false;
        throw error;
      }
    },
    publish: (key, updatedBy) =>
      call('POST', `${pathOf(key)}/publish`, { companyId: key.companyId, updatedBy }),
    rollBack: (key, updatedBy, version) =>
      call('POST', `${pathOf(key)}/roll-back`, { companyId: key.companyId, updatedBy, version }),
    setActive: (key, isActive, updatedBy) =>
      call('POST', `${pathOf(key)}/active`, { companyId: key.companyId, isActive, updatedBy }),
    preview: (key, options) =>
      call('POST', `${pathOf(key)}/preview`, { companyId: key.companyId, ...options }),
  };
}

/** What commands do with templates; the types themselves they read from the code. */
export type ChangingTemplates = Omit<Templates, 'types' | 'own'>;

interface ListAnswer {
  overrides: Awaited<ReturnType<Templates['list']>>;
}
interface VersionsAnswer {
  versions: Awaited<ReturnType<Templates['listVersions']>>;
}
