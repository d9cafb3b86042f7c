import { isStorableText, isUuid, PostriderError } from './kernel/index.js';

/** What can be no id or company names no email; asking the database would abort the caller's transaction. */
export function checkEmailId(emailId: string, companyId?: string): string {
  const asksSomething =
    companyId === undefined || (typeof companyId === 'string' && isStorableText(companyId));
  if (isUuid(emailId) && asksSomething) return emailId;
  throw new PostriderError('EMAIL_NOT_FOUND', 'There is no email with this id.', { field: 'emailId' });
}
