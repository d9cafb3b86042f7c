/**
 * The contract of a server the tests need. A service offers four ways to come up, tried in this order by
 * bring-up.ts; each answers with a running server or with the reason it cannot, and throws only when a way
 * that should have worked broke (a named server that does not answer, a binary that does not start).
 */
export interface Service {
  name: string;
  /** A server somebody else runs, named by a variable. Never stopped by us. */
  fromEnvironment(): Promise<Attempt>;
  /** Programs of this machine, on a free port in a temporary folder. */
  fromBinaries(): Promise<Attempt>;
  /** A container, when an engine answers. */
  fromDocker(): Promise<Attempt>;
  /** Debian's packages, when we may install them; then as from binaries. */
  fromPackages(): Promise<Attempt>;
}

export type Attempt = Running | Unavailable;

export interface Running {
  running: true;
  url: string;
  /** Where it came from, for the one line printed about it: `local binaries in /usr/lib/…, port 20817`. */
  origin: string;
}

export interface Unavailable {
  running: false;
  because: string;
}

export function unavailable(because: string): Unavailable {
  return { running: false, because };
}
