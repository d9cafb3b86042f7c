import type { Provider } from './provider.js';

/**
 * A route is one configured provider account under a name: whom it serves, how fast it may go, and
 * what happens to its emails when the account itself is refused.
 */
export interface Route {
  readonly name: string;
  readonly provider: Provider;
  /** Its share among equals; 0 keeps it for failover. Without any weight the first one is taken. */
  readonly weight?: number;
  /** Only emails of these companies; all of them when not said. */
  readonly companies?: readonly string[];
  /** Only emails of these types; all of them when not said. */
  readonly types?: readonly string[];
  /** Only emails of stores in these regions; of any store when not said. */
  readonly regions?: readonly string[];
  /** Emails a second, shared by all processes. */
  readonly ratePerSecond?: number;
  /** Emails a second to one recipient domain, shared by all processes. */
  readonly domainRates?: Readonly<Record<string, number>>;
  /** Emails in flight at once in one process. */
  readonly maxConcurrency?: number;
  /** `pause` (the default) keeps the emails of a refused account, `fail` ends them. */
  readonly onAccountFailure?: 'pause' | 'fail';
}

/** The route there is when nobody configures any. */
export const DEFAULT_ROUTE = 'default';
