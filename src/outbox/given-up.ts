/** An email that ended for good and not by the settlement of an attempt: its worker died of it, or its time passed. */
export interface GivenUp {
  id: string;
  token: number;
  /** How many attempts were made, the last one included. */
  attempt: number;
  status: 'failed' | 'unknown' | 'expired';
  errorCode: string | null;
  errorMessage: string | null;
}

export function asExpired({ id, token, attempt }: Pick<GivenUp, 'id' | 'token' | 'attempt'>): GivenUp {
  return { id, token, attempt, status: 'expired', errorCode: 'EXPIRED', errorMessage: 'its time has passed' };
}
