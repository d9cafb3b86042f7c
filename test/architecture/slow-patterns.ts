/**
 * Says of a regular expression whether a backtracking engine may need more than linear time for it: two repetitions
 * that can share a text between them in many ways, or one that is begun anew at every character of the text it has
 * just failed on, which every search without an anchor does. Works on the automaton of the expression (infinite
 * degree of ambiguity, Weber and Seidl 1991), so it needs no slow input and no clock.
 *
 * It leans to caution: lookarounds are never taken to hold, back references match nothing. Repetitions of at most 100
 * are taken for one, since they multiply the time by a constant.
 */
export function slowness({ source, flags }: { source: string; flags: string }): string | null {
  const { states, start, accept } = new Compiler(source, flags).compile();
  const automaton = withoutEmptySteps(states, start, accept);
  return findAmbiguity(automaton);
}

/** Stands for a position, beside the symbols of the text: what `^` and `$` match. */
const ALPHABET = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...['\u0085', '\u00a0', '\u00e9', '\u0130', '\u017f', '\u212a', '\u2028', '\ufeff', '\u200b', '\u6f22'],
  ...['\ud83d', '\udc00', '\ue000'],
];
const TEXT = (1n << BigInt(ALPHABET.length)) - 1n;
const BEGIN = 1n << BigInt(ALPHABET.length);
const END = BEGIN << 1n;
const LINE_BREAKS = symbols((symbol) => /[\n\r\u2028]/.test(symbol));

function symbols(isMember: (symbol: string) => boolean): bigint {
  return ALPHABET.reduce((set, symbol, at) => (isMember(symbol) ? set | (1n << BigInt(at)) : set), 0n);
}

interface State {
  /** Where it leads without taking a symbol. */
  empty: number[];
  step: { on: bigint; to: number } | null;
}

const BOUNDED = 100;

/** Thompson's construction over the text of the expression; sets of symbols are asked of the engine itself. */
class Compiler {
  private readonly states: State[] = [];
  private at = 0;

  constructor(
    private readonly source: string,
    private readonly flags: string,
  ) {}

  compile() {
    const start = this.state();
    const [first, last] = this.alternatives();
    if (this.at < this.source.length) throw new Error(`cannot read ${this.source} at ${this.at}`);
    // A search may begin at any character, unless it is bound to a place.
    if (!this.flags.includes('y')) this.states[start]!.step = { on: TEXT | BEGIN, to: start };
    this.states[start]!.empty.push(first);
    return { states: this.states, start, accept: last };
  }

  private state(): number {
    return this.states.push({ empty: [], step: null }) - 1;
  }

  private empty(from: number, to: number): void {
    this.states[from]!.empty.push(to);
  }

  private alternatives(): [number, number] {
    const [first, last] = [this.state(), this.state()];
    for (;;) {
      const [from, to] = this.sequence();
      this.empty(first, from);
      this.empty(to, last);
      if (this.source[this.at] !== '|') return [first, last];
      this.at += 1;
    }
  }

  private sequence(): [number, number] {
    const first = this.state();
    let last = first;
    while (this.at < this.source.length && !'|)'.includes(this.source[this.at]!)) {
      const begun = this.at;
      const [from, to] = this.term();
      const repetition = this.repetition();
      if (repetition === null) {
        this.empty(last, from);
        last = to;
        continue;
      }
      last = this.repeat(last, { begun, from, to, ...repetition });
    }
    return [first, last];
  }

  /** A repetition that must happen is written out once, so that what stands before it cannot pass it by. */
  private repeat(
    before: number,
    { begun, from, to, min, max }: { begun: number; from: number; to: number; min: number; max: number },
  ): number {
    const after = this.state();
    const isLoop = max > BOUNDED;
    let last = before;
    if (min > 0 && isLoop) {
      const end = this.at;
      this.at = begun;
      const [again, done] = this.term();
      this.at = end;
      this.empty(last, again);
      last = done;
    }
    const loop = this.state();
    this.empty(last, loop);
    this.empty(loop, from);
    if (isLoop) this.empty(to, loop);
    else this.empty(to, after);
    if (isLoop || min === 0) this.empty(loop, after);
    return after;
  }

  private repetition(): { min: number; max: number } | null {
    const rest = this.source.slice(this.at);
    const [whole, sign, min, comma, max] = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/.exec(rest) ?? [];
    if (whole === undefined) return null;
    this.at += whole.length;
    if (sign !== undefined)
      return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Number.POSITIVE_INFINITY };
    const least = Number(min);
    const most = comma === undefined ? least : max === '' ? Number.POSITIVE_INFINITY : Number(max);
    return { min: least, max: most };
  }

  private term(): [number, number] {
    const { source } = this;
    const character = source[this.at]!;
    const group = /^\((?:\?(?:(?<look><?[=!])|:|<\w+>))?/.exec(source.slice(this.at));
    if (group) {
      this.at += group[0].length;
      const [first, last] = this.alternatives();
      this.at += 1;
      if (group.groups?.look === undefined) return [first, last];
      // Looked at beside the way, which leads nowhere; whether it holds is not asked.
      const beside = this.state();
      if (!group.groups.look.startsWith('<')) this.empty(beside, first);
      return [beside, beside];
    }
    if (character === '^' || character === '$') return this.edge(character);
    const [text] =
      /^(?:\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|p\{[^}]*\}|P\{[^}]*\}|k<\w+>|c[a-z]|[\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|[\s\S])/i.exec(
        source.slice(this.at),
      )!;
    this.at += text.length;
    if (/^\\(?:[bB1-9]|k<)/.test(text)) {
      const state = this.state();
      return [state, state];
    }
    return this.take(this.setOf(text));
  }

  private edge(character: '^' | '$'): [number, number] {
    this.at += 1;
    const lines = this.flags.includes('m') ? LINE_BREAKS : 0n;
    return this.take((character === '^' ? BEGIN : END) | lines);
  }

  private take(on: bigint): [number, number] {
    const [from, to] = [this.state(), this.state()];
    this.states[from]!.step = { on, to };
    return [from, to];
  }

  private setOf(text: string): bigint {
    const pattern = new RegExp(`^(?:${text})$`, this.flags.replace(/[gy]/g, ''));
    return symbols((symbol) => pattern.test(symbol));
  }
}

interface Automaton {
  /** From each state to others, with the symbols that lead there; one entry for each way. */
  steps: Array<Array<{ on: bigint; to: number }>>;
  /** Whether it has matched there already, whatever follows. */
  isDone: boolean[];
  /** A repetition of what can be empty: each text it takes can be divided among its turns in many ways. */
  hasEmptyLoop: boolean;
}

/** A state is a symbol that was taken; two empty ways to the same one are two entries. */
function withoutEmptySteps(states: readonly State[], start: number, accept: number): Automaton {
  const numbers = new Map<number, number>();
  const open: number[] = [];
  const numberOf = (state: number) => {
    const known = numbers.get(state);
    if (known !== undefined) return known;
    numbers.set(state, numbers.size);
    open.push(state);
    return numbers.size - 1;
  };
  const automaton: Automaton = { steps: [], isDone: [], hasEmptyLoop: false };
  numberOf(start);
  for (let state = open.shift(); state !== undefined; state = open.shift()) {
    const number = numberOf(state);
    const steps: Array<{ on: bigint; to: number }> = [];
    automaton.isDone[number] = false;
    const walk = (from: number, way: ReadonlySet<number>) => {
      if (way.has(from)) {
        automaton.hasEmptyLoop = true;
        return;
      }
      if (from === accept) automaton.isDone[number] = true;
      const { step, empty } = states[from]!;
      if (step !== null && step.on !== 0n) steps.push({ on: step.on, to: numberOf(step.to) });
      const further = new Set([...way, from]);
      for (const next of empty) walk(next, further);
    };
    walk(state, new Set());
    automaton.steps[number] = steps;
  }
  return automaton;
}

/**
 * A state `p` and a later one `q`, and a text that leads from `p` to `p`, from `p` to `q` and from `q` to `q`: each
 * copy of that text can be taken by either of the two. Where one of them has matched by then nothing is tried twice.
 */
function findAmbiguity({ steps, isDone, hasEmptyLoop }: Automaton): string | null {
  if (hasEmptyLoop) return 'a repetition of what can be empty';
  const loops = loopsOf(steps);
  for (const [p, from] of loops.entries()) {
    if (from === null || isDone[p]) continue;
    if (hasTwoWays(steps, p, from)) return 'a repetition of what can be read in two ways';
    for (const [q, to] of loops.entries()) {
      if (to === null || p === q || isDone[q]) continue;
      if (meets(steps, { p, q, from, to })) return p === 0 ? SEARCHED : SHARED;
    }
  }
  return null;
}

const SEARCHED = 'begun anew at every character of a text it fails on';
const SHARED = 'two repetitions that can take the same text';

/** For each state the states of its loop, or null where it is in none. */
function loopsOf(steps: Automaton['steps']): Array<ReadonlySet<number> | null> {
  const reach = steps.map((_, state) => {
    const seen = new Set<number>();
    const open = [state];
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (const { on, to } of steps[at]!) {
        if ((on & TEXT) === 0n || seen.has(to)) continue;
        seen.add(to);
        open.push(to);
      }
    return seen;
  });
  return reach.map((reached, state) =>
    reached.has(state) ? new Set([...reached].filter((other) => reach[other]!.has(state))) : null,
  );
}

/** The same symbol leads from one state of the loop to another in two ways. */
function hasTwoWays(steps: Automaton['steps'], state: number, loop: ReadonlySet<number>): boolean {
  const inside = steps[state]!.filter(({ to }) => loop.has(to));
  return inside.some(({ on, to }, at) =>
    inside.some((other, place) => place > at && other.to === to && (other.on & on & TEXT) !== 0n),
  );
}

interface Pair {
  p: number;
  q: number;
  from: ReadonlySet<number>;
  to: ReadonlySet<number>;
}

function meets(steps: Automaton['steps'], { p, q, from, to }: Pair): boolean {
  const size = steps.length;
  const keyOf = (a: number, b: number, c: number) => (a * size + b) * size + c;
  const seen = new Set<number>();
  const open: Array<[number, number, number]> = [[p, p, q]];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const [a, b, c] = at;
    for (const one of steps[a]!) {
      if (!from.has(one.to)) continue;
      for (const three of steps[c]!) {
        const both = one.on & three.on & TEXT;
        if (!to.has(three.to) || both === 0n) continue;
        for (const two of steps[b]!) {
          if ((both & two.on) === 0n) continue;
          if (one.to === p && two.to === q && three.to === q) return true;
          const key = keyOf(one.to, two.to, three.to);
          if (seen.has(key)) continue;
          seen.add(key);
          open.push([one.to, two.to, three.to]);
        }
      }
    }
  }
  return false;
}
