/**
 * "Something changed, look again." Notifications while nobody waits are kept as one, so a waiter
 * never misses what happened between its last look and its wait.
 */
export class Signal {
  private pending = false;
  private wake: (() => void) | null = null;

  notify(): void {
    this.pending = true;
    this.wake?.();
  }

  /** True when something changed, false when the time ran out first. */
  async wait(timeoutMs?: number): Promise<boolean> {
    if (!this.pending) {
      await new Promise<void>((resolve) => {
        const timer = timeoutMs === undefined ? undefined : setTimeout(resolve, timeoutMs);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.wake = null;
    }
    const changed = this.pending;
    this.pending = false;
    return changed;
  }
}
