/** One reason not to write to an address, as the library and the API show it. */
export interface Suppression {
  companyId: string;
  /** null where the person was erased and only the hash is kept. */
  email: string | null;
  reason: SuppressionReason;
  /** What an unsubscribe is about; null: everything. */
  category: string | null;
  /** The email that led to it. */
  emailId: string | null;
  note: string | null;
  createdAt: string;
}

/**
 * `bounce` and `manual` hold for every email. `complaint` and `unsubscribe` hold for all but the essential: someone who
 * reports a newsletter as spam still asks for password resets, and a reset is mail they asked for.
 */
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];
export const SUPPRESSION_REASONS = ['bounce', 'complaint', 'manual', 'unsubscribe'] as const;

export interface SuppressionInput {
  email: string;
  /** Defaults to manual. */
  reason?: SuppressionReason;
  /** Only with unsubscribe: one preference; without it everything. */
  category?: string | null;
  emailId?: string | null;
  note?: string | null;
}
