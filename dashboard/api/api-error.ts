/** A refusal of the API as it came: code and field of the problem, what to do about it, and the id to ask for in the logs. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly field: string | null;
  readonly help: string | null;
  readonly requestId: string | null;
  /** From Retry-After; null where the API named no time. */
  readonly retryAfterSeconds: number | null;

  constructor(problem: Problem) {
    super(problem.detail);
    this.name = 'ApiError';
    this.status = problem.status;
    this.code = problem.code;
    this.field = problem.field ?? null;
    this.help = problem.help ?? null;
    this.requestId = problem.requestId ?? null;
    this.retryAfterSeconds = problem.retryAfterSeconds ?? null;
  }
}

export interface Problem {
  status: number;
  code: string;
  detail: string;
  field?: string;
  help?: string;
  requestId?: string;
  retryAfterSeconds?: number;
}

export async function readProblem(response: Response): Promise<ApiError> {
  const said = Number(response.headers.get('retry-after'));
  const retryAfterSeconds = Number.isFinite(said) && said > 0 ? said : undefined;
  const body: unknown = await response.json().catch(() => null);
  const known = typeof body === 'object' && body !== null ? (body as Partial<Problem>) : {};
  return new ApiError({
    ...known,
    status: response.status,
    code: known.code ?? `HTTP_${response.status}`,
    detail: known.detail ?? `The server answered with ${response.status}.`,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    // The API speaks to programs here; a person has been signed out.
    ...(known.code === 'UNAUTHORIZED' && SIGNED_OUT),
  });
}

const SIGNED_OUT = {
  detail: 'You were signed out before this was done.',
  help: 'Nothing was changed. Sign in and do it again.',
};

/** The code of a page did not come: the process is away, or was replaced by one that has other files. */
export function notLoaded(): ApiError {
  return new ApiError({
    status: 0,
    code: 'NOT_LOADED',
    detail: 'This page could not be loaded.',
    help: 'Postrider does not answer, or was replaced by another version. Look whether the process runs, then try again.',
  });
}

/** No answer at all: the process is down, or the network is. */
export function unreachable(): ApiError {
  return new ApiError({
    status: 0,
    code: 'UNREACHABLE',
    detail: 'Postrider does not answer.',
    help: 'Look whether the process runs; this page goes on by itself once it does.',
  });
}
