/**
 * Counts the bytes a request makes this process hold, wherever it holds them: its body, files that are fetched for it,
 * and content in its answer until the client has taken it. A tenant holds no more than it leaves free. Strangers have a
 * budget of their own, shared by network in the same way, so that nobody with a key waits for them.
 */
import type { Context, MiddlewareHandler } from 'hono';
import { type Caller, networkOf } from '../../access/index.js';
import { ByteBudget, type ByteHold, PostriderError } from '../../kernel/index.js';
import type { Served } from './client-address.js';
import type { HttpEnv } from './request-context.js';

export interface MemoryLimits {
  /** The largest body there may be; a budget holds at least one. */
  bodyLimitBytes: number;
  mostBytes?: number;
}

export function countMemory({ bodyLimitBytes, mostBytes = USUAL_BYTES }: MemoryLimits) {
  const known = new ByteBudget(Math.max(mostBytes, bodyLimitBytes));
  const strangers = new ByteBudget(Math.max(known.mostBytes / 4, Math.min(bodyLimitBytes, USUAL_BYTES / 4)));
  const middleware: MiddlewareHandler<HttpEnv> = async (c, next) => {
    const caller = c.get('caller');
    const memory =
      caller.kind === 'anyone'
        ? new RequestMemory(strangers, networkOf(c.get('ip')), false)
        : new RequestMemory(known, ownerOf(caller), true);
    c.set('memory', memory);
    try {
      await next();
    } finally {
      memory.endRequest(c);
    }
  };
  return { middleware, known, strangers };
}

const USUAL_BYTES = 128 * 1024 ** 2;

export class RequestMemory {
  private request: ByteHold | null = null;
  private answer: ByteHold | null = null;

  constructor(
    private readonly budget: ByteBudget,
    private readonly owner: string | null,
    /** Whether an announced body has its place before it arrives; a stranger's takes it as it does. */
    readonly reserves: boolean,
  ) {}

  /** Refuses a body that cannot be taken now before it is read. */
  expect(bytes: number): void {
    this.request ??= this.budget.open(this.owner);
    if (!this.request.reserve(bytes)) throw this.refusal();
    if (!this.reserves) this.request.release();
  }

  /** Bytes of the body or of a file that arrived; held until the request is handled. */
  take(bytes: number): void {
    this.request ??= this.budget.open(this.owner);
    if (!this.request.take(bytes)) throw this.refusal();
  }

  /** Of a file that is dropped after all. */
  giveBack(bytes: number): void {
    this.request?.giveBack(bytes);
  }

  /**
   * Of an answer that is large; held until it has left. One that is larger than the budget takes all of it, so that it can
   * be had at all.
   */
  takeForAnswer(bytes: number): void {
    this.answer ??= this.budget.open(this.owner);
    if (!this.answer.take(Math.min(bytes, this.budget.mostBytes))) throw this.refusal();
  }

  endRequest(c: Context): void {
    this.request?.release();
    const { answer } = this;
    if (answer === null) return;
    const outgoing = (c.env as Served | undefined)?.outgoing;
    if (outgoing === undefined || outgoing.closed) answer.release();
    else outgoing.once('close', () => answer.release());
  }

  private refusal(): PostriderError {
    const inMb = Math.round(this.budget.mostBytes / 1024 ** 2);
    const share = this.owner === null ? '' : ', of which one caller may hold as much as it leaves free';
    return new PostriderError(
      'TOO_MANY_LARGE_BODIES',
      `${inMb} MB of requests and answers may be held at once${share}.`,
      { retryAfterSeconds: 1 },
    );
  }
}

/** To be called with the bytes of stored content before it is read. */
export function holdsContent(c: Context<HttpEnv>): (bytes: number) => void {
  return (bytes) => c.get('memory').takeForAnswer(bytes);
}

function ownerOf(caller: Caller): string | null {
  return caller.kind === 'key' || caller.kind === 'user' ? caller.companyId : null;
}
