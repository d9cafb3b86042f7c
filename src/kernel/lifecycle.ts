/** The one contract of everything long-lived: both calls are idempotent. */
export interface Lifecycle {
  start(): Promise<void>;
  stop(options?: StopOptions): Promise<void>;
}

export interface StopOptions {
  /** How long work in flight may take before it is given back. */
  deadlineMs?: number;
}
