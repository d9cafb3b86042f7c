import type { Clock } from '../kernel/index.js';

/**
 * This process's part of a rate that all processes share. Tokens are taken from the store in leases
 * of a quarter of a second's worth, so the store is asked a few times a second and never per email;
 * what is not used within a second is lost rather than saved up for a burst.
 */
export interface RateBucket {
  route: string;
  /** A recipient domain, or '' for the route as a whole. */
  domain: string;
  ratePerSecond: number;
}

/** Gives up to `want` tokens that no other process gets. */
export interface RateStore {
  take(bucket: RateBucket, want: number): Promise<number>;
}

export class RateLease {
  private tokens = 0;
  /** Tokens of emails that were claimed with them and have not begun. */
  private reserved = 0;
  private leasedAt = Number.NEGATIVE_INFINITY;
  private askedAt = Number.NEGATIVE_INFINITY;
  private asking: Promise<void> | null = null;
  private nextSlotAt = 0;

  constructor(
    private readonly bucket: RateBucket,
    private readonly store: RateStore,
    private readonly clock: Clock,
  ) {}

  get ratePerSecond(): number {
    return this.bucket.ratePerSecond;
  }

  set ratePerSecond(rate: number) {
    this.bucket.ratePerSecond = rate;
  }

  /** One token for an email about to go; prefers what was reserved for it. */
  async take(): Promise<boolean> {
    this.expire();
    if (this.reserved > 0) {
      this.reserved--;
      return true;
    }
    if (this.tokens < 1) await this.ask();
    if (this.tokens < 1) return false;
    this.tokens--;
    return true;
  }

  /** How many may be claimed now. */
  async room(limit: number): Promise<number> {
    this.expire();
    if (this.tokens < Math.min(limit, this.leaseSize())) await this.ask();
    return Math.min(limit, this.tokens);
  }

  reserve(count: number): void {
    const taken = Math.min(count, this.tokens);
    this.tokens -= taken;
    this.reserved += taken;
  }

  /** When asking again makes sense. */
  againMs(): number {
    return Math.max(ASK_EVERY_MS, 1000 / this.ratePerSecond / 2);
  }

  /** When an email that got no token has its turn: each one a place further back, so few come in vain. */
  slotMs(): number {
    const now = this.clock.monotonic();
    this.nextSlotAt = Math.max(this.nextSlotAt, now) + 1000 / this.ratePerSecond;
    return Math.min(this.nextSlotAt - now, LONGEST_SLOT_MS);
  }

  private leaseSize(): number {
    return Math.max(1, Math.ceil(this.ratePerSecond * LEASE_SECONDS));
  }

  private ask(): Promise<void> {
    const now = this.clock.monotonic();
    if (!this.asking && now - this.askedAt >= ASK_EVERY_MS) {
      this.askedAt = now;
      this.asking = this.store
        .take({ ...this.bucket }, this.leaseSize() - this.tokens)
        .then((granted) => {
          this.tokens += granted;
          this.leasedAt = this.clock.monotonic();
        })
        .finally(() => {
          this.asking = null;
        });
    }
    return this.asking ?? Promise.resolve();
  }

  private expire(): void {
    if (this.clock.monotonic() - this.leasedAt < LEASE_LIFE_MS) return;
    this.tokens = 0;
    this.reserved = 0;
  }
}

const LEASE_SECONDS = 0.25;
const LEASE_LIFE_MS = 1000;
const ASK_EVERY_MS = 100;
const LONGEST_SLOT_MS = 3_600_000;
