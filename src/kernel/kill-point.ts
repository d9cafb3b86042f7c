/**
 * Named places between two lines where a crash would be interesting. They do nothing unless a test
 * installs a listener, which counts them and dies at the N-th (test/chaos).
 */
let listener: ((name: string) => void) | undefined;

export function killPoint(name: string): void {
  listener?.(name);
}

export function onKillPoint(fn: ((name: string) => void) | undefined): void {
  listener = fn;
}
