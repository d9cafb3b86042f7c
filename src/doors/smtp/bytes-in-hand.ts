/**
 * How many bytes of messages the door holds, in all and by key. No key holds more than it leaves free, so that a
 * second one comes through beside it; a message that is alone may be as large as there is room for.
 */
export class BytesInHand {
  private total = 0;
  private readonly byKey = new Map<string, number>();

  constructor(private readonly most: number) {}

  /** So many more for a message that holds `own` already; false where there is no room for them. */
  hold(key: string, bytes: number, own: number): boolean {
    const held = this.byKey.get(key) ?? 0;
    const free = this.most - this.total - bytes;
    if (free < 0 || (held > own && held + bytes > free)) return false;
    this.total += bytes;
    this.byKey.set(key, held + bytes);
    return true;
  }

  release(key: string, bytes: number): void {
    this.total -= bytes;
    const left = (this.byKey.get(key) ?? 0) - bytes;
    if (left > 0) this.byKey.set(key, left);
    else this.byKey.delete(key);
  }
}
