import type { WaitingPlace } from './waiting-place.js';

/**
 * The emails that wait for a connection, in the order in which they came. Those that give way stand in a line of their
 * own: others go first, but every fourth connection is theirs, and they never hold the last fifth of the connections, so
 * that behind a slow server somebody else need not wait for their answers.
 *
 * Who will have a connection within some milliseconds is marked as begun already: what is written for many at once
 * costs less.
 */
export class WaitingLine {
  private readonly first: WaitingPlace[] = [];
  private readonly second: WaitingPlace[] = [];
  /** Connections given to others since one was given to those that give way. */
  private sinceSecond = 0;
  /** Connections held by those that give way. */
  private secondHeld = 0;
  private replyMs = Number.POSITIVE_INFINITY;

  /** Takes a connection without waiting, if whoever gives way may. */
  enter(givesWay: boolean | undefined, limit: number): boolean {
    if (!givesWay) return true;
    if (this.secondHeld >= mostOf(limit)) return false;
    this.secondHeld += 1;
    return true;
  }

  leave(givesWay: boolean | undefined): void {
    if (givesWay) this.secondHeld -= 1;
  }

  add(place: WaitingPlace, limit: number): void {
    if (place.attempt.givesWay) {
      this.second.push(place);
      return;
    }
    this.first.push(place);
    if (this.first.length <= this.soonServed(limit)) place.beginEarly();
  }

  /** Was served, and is not any more. */
  comeBack(place: WaitingPlace): void {
    this.first.unshift(place);
  }

  /** The next one, if it may know so before its connection is free. */
  peek(limit: number): WaitingPlace | undefined {
    return this.secondIsDue(limit) ? undefined : frontOf(this.first);
  }

  take(limit: number): WaitingPlace | undefined {
    const first = frontOf(this.first);
    if (first && !this.secondIsDue(limit)) {
      if (this.second.length > 0) this.sinceSecond += 1;
      this.first.shift();
      this.beginNext(limit);
      return first;
    }
    const second = frontOf(this.second);
    if (!second || !this.enter(true, limit)) return undefined;
    this.sinceSecond = 0;
    return this.second.shift();
  }

  all(): WaitingPlace[] {
    return [...this.first, ...this.second];
  }

  /** How long the server took to answer a message. */
  answered(replyMs: number): void {
    this.replyMs = replyMs;
  }

  /** How many more that come now would have one of so many connections within milliseconds. */
  soonFor(connections: number): number {
    if (connections === 0) return 0;
    return Math.max(0, Math.floor(this.soonServed(connections)) - this.first.length);
  }

  private secondIsDue(limit: number): boolean {
    return (
      this.sinceSecond >= BETWEEN_SECOND &&
      this.secondHeld < mostOf(limit) &&
      frontOf(this.second) !== undefined
    );
  }

  private soonServed(limit: number): number {
    return (SOON_MS / (this.replyMs * ROUND_TRIPS)) * limit;
  }

  /** All of them at once, where the line was too long for the first when they came. */
  private beginNext(limit: number): void {
    if (this.first[0]?.asked !== false) return;
    const soon = this.soonServed(limit);
    for (let at = 0; at < soon && at < this.first.length; at++) this.first[at]!.beginEarly();
  }
}

const BETWEEN_SECOND = 3;
const SOON_MS = 50;
/** Envelope and message. */
const ROUND_TRIPS = 2;

/** Connections that those that give way may hold. */
function mostOf(limit: number): number {
  return Math.max(1, Math.floor(limit * 0.8));
}

function frontOf(line: WaitingPlace[]): WaitingPlace | undefined {
  while (line[0]?.over) line.shift();
  return line[0];
}
