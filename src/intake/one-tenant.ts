import { PostriderError } from '../kernel/index.js';
import { namingPlace } from './complete-email.js';
import { readCompanyId } from './email-draft.js';

/** A key belongs to one company, so what it stands for does too. */
export function oneTenant(inputs: readonly unknown[], inBatch: boolean, defaultTenant: string): string {
  const tenants = inputs.map((input, index) =>
    namingPlace(inBatch ? `[${index}]` : '', () => readCompanyId(input) ?? defaultTenant),
  );
  const [first = defaultTenant] = tenants;
  const other = tenants.findIndex((tenant) => tenant !== first);
  if (other === -1) return first;
  throw new PostriderError('INVALID_PAYLOAD', 'A batch with an idempotency key is of one company.', {
    field: `[${other}].companyId`,
  });
}
