/**
 * How many bytes of foreign requests a process holds at once, counted where they are held. No owner holds more than it
 * leaves free, so that another comes through beside it; one holder alone may take everything that is free.
 */
export class ByteBudget {
  private inUse = 0;
  private readonly owned = new Map<string, number>();

  constructor(readonly mostBytes: number) {}

  get bytesInUse(): number {
    return this.inUse;
  }

  /** Without an owner only the budget as a whole limits it. */
  open(owner: string | null): ByteHold {
    const change = (bytes: number) => {
      this.inUse += bytes;
      if (owner === null) return;
      const left = (this.owned.get(owner) ?? 0) + bytes;
      if (left > 0) this.owned.set(owner, left);
      else this.owned.delete(owner);
    };
    const fits = (bytes: number, held: number) => {
      const free = this.mostBytes - this.inUse - bytes;
      if (free < 0 || owner === null) return free >= 0;
      const own = this.owned.get(owner) ?? 0;
      return own === held || own + bytes <= free;
    };
    return new ByteHold(change, fits);
  }
}

/** What one holder has of a budget; it grows while bytes arrive. */
export class ByteHold {
  private held = 0;
  private ahead = 0;

  constructor(
    private readonly change: (bytes: number) => void,
    private readonly fits: (bytes: number, held: number) => boolean,
  ) {}

  /** Takes what is announced before it arrives; false, and nothing taken, where it does not fit. */
  reserve(bytes: number): boolean {
    if (!this.take(bytes)) return false;
    this.ahead += bytes;
    return true;
  }

  /** Counts bytes that arrived, out of what was reserved as long as that lasts. */
  take(bytes: number): boolean {
    const reserved = Math.min(bytes, this.ahead);
    const more = bytes - reserved;
    if (more > 0 && !this.fits(more, this.held)) return false;
    this.ahead -= reserved;
    this.held += more;
    if (more > 0) this.change(more);
    return true;
  }

  giveBack(bytes: number): void {
    const less = Math.min(bytes, this.held);
    this.held -= less;
    this.change(-less);
  }

  /** Gives everything back; once is enough. */
  release(): void {
    const { held } = this;
    this.held = 0;
    this.ahead = 0;
    if (held > 0) this.change(-held);
  }
}
