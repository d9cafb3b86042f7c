import type { Provider } from './provider.js';
import type { SendQuota } from './ses/create-ses-provider.js';

/** What a provider says about how much it takes, where it can say so; null where it cannot. */
export async function readSendQuota(provider: Provider): Promise<(SendQuota & { spent: boolean }) | null> {
  if (!hasSendQuota(provider)) return null;
  const quota = await provider.sendQuota();
  return { ...quota, spent: quota.perDay !== null && quota.sentLastDay >= quota.perDay };
}

function hasSendQuota(provider: Provider): provider is Provider & { sendQuota(): Promise<SendQuota> } {
  return 'sendQuota' in provider && typeof provider.sendQuota === 'function';
}
