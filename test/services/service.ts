/**
 * The contract of a server the tests need. bring-up.ts tries its ways to come up in order; each answers with a running
 * server or with the reason it cannot, and throws only when a way that should have worked broke (a named server that
 * does not answer, a binary that does not start).
 */
export interface Service {
  name: string;
  /**
   * First a server somebody else runs, named by a variable and never stopped by us; then programs of this machine, on a
   * free port in a temporary folder; then what can be fetched: npm packages, containers, Debian's packages.
   */
  ways: ReadonlyArray<() => Promise<Attempt>>;
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
