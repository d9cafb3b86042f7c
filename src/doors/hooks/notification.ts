/** What someone else reports about an email of ours, whichever way it came. */
export interface Notification {
  source: 'ses' | 'resend' | 'smtp';
  /** The same when it is delivered again, so that it counts once. */
  id: string;
  type: 'DELIVERED' | 'DELAYED' | 'BOUNCED' | 'COMPLAINED' | 'OPENED' | 'CLICKED';
  /** The email it is about: by the id in its Message-ID, or by the one the provider gave it. */
  about: { emailId: string } | { providerMessageId: string };
  /** Whom it is about; empty where that is not said. */
  recipients: string[];
  at: Date;
  /** Why these recipients are not written to again. */
  suppress: 'bounce' | 'complaint' | null;
  detail: Record<string, unknown>;
}

/** A text of the report, cut to what a timeline can hold. */
export function shortText(value: unknown, length = 500): string | undefined {
  if (typeof value !== 'string') return undefined;
  return value
    .slice(0, length * 4)
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .slice(0, length);
}

export function timeOf(value: unknown, otherwise: Date): Date {
  const at = typeof value === 'string' ? new Date(value.slice(0, 100)) : null;
  return at && !Number.isNaN(at.getTime()) ? at : otherwise;
}

export function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
