/**
 * The suspects of a crash that this worker holds. Only as many are held together as each of them allows: a group halves
 * with every death, so the one that causes them is soon attempted alone, and the others go meanwhile.
 */
export class Suspects {
  private readonly limits = new Map<string, number>();

  /** `most` leaves the others their part of what is attempted at once. */
  constructor(private readonly most: number) {}

  get count(): number {
    return this.limits.size;
  }

  /** How many more may join. */
  room(): number {
    let room = this.most;
    for (const limit of this.limits.values()) room = Math.min(room, limit);
    return Math.max(0, room - this.count);
  }

  ids(): string[] {
    return [...this.limits.keys()];
  }

  add(claims: ReadonlyArray<{ id: string; groupLimit?: number }>): void {
    for (const { id, groupLimit = 1 } of claims) this.limits.set(id, groupLimit);
  }

  /** Whether it was one of them. */
  remove({ id }: { id: string }): boolean {
    return this.limits.delete(id);
  }
}
