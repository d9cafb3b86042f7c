import { setTimeout as pause } from 'node:timers/promises';
import { whatIsBroken } from './aftermath.js';
import { type Attack, budgetOf, labelOf, STALL_MS } from './attack.js';
import type { Engine } from './brokers.js';
import { openTarget, type Target } from './target.js';

/**
 * Makes attacks one after the other and gives back what broke a rule. What does is tried twice more, with nothing
 * beside it and after a garbage collection, and counts only when it breaks it every time; what breaks it ten times over,
 * or ends the process, needs no second proof.
 */
export interface Finding {
  attack: Attack;
  status: string;
  stallMs: number;
  memoryBytes: number;
  answerBytes: number;
  /** Each rule that is broken, in a sentence. */
  wrong: string[];
}

export interface RunOptions {
  /** Stops between two attacks once this much time has passed; the rest is counted, not made. */
  withinMs?: number;
  /** For a single attack to be answered. */
  deadlineMs?: number;
  onFinding?(finding: Finding): void;
  /** Each try, also of an attack that broke nothing. */
  onTry?(measured: Finding): void;
  onProgress?(progress: Progress): void;
}

export interface Progress {
  made: number;
  /** Left out, because enough of the same field is found already. */
  skipped: number;
  findings: number;
  next: Attack;
}

export interface Result {
  findings: Finding[];
  made: number;
  skipped: number;
  /** Not made for want of time. */
  left: number;
}

/** All lists and another tenant are asked after so many attacks; where one fails, each is made again by itself. */
const LISTS_EVERY = 25;
/** Findings of one field tell the same after a while, and each takes seconds. */
const MOST_OF_A_FIELD = 3;
/** What attacks leave behind makes a store slow that is attacked for hours. */
const STORE_LASTS = 2000;

export async function runAttacks(attacks: readonly Attack[], options: RunOptions = {}): Promise<Result> {
  const { withinMs = Number.POSITIVE_INFINITY, deadlineMs = 60_000 } = options;
  const until = performance.now() + withinMs;
  const result: Result = { findings: [], made: 0, skipped: 0, left: 0 };
  const ofField = new Map<string, number>();
  const range = new Range(deadlineMs, options.onTry);
  const report = (finding: Finding) => {
    const field = `${finding.attack.wayIn} ${finding.attack.field}`;
    ofField.set(field, (ofField.get(field) ?? 0) + 1);
    result.findings.push(finding);
    options.onFinding?.(finding);
  };
  try {
    for (const attack of attacks) {
      if ((ofField.get(`${attack.wayIn} ${attack.field}`) ?? 0) >= MOST_OF_A_FIELD) {
        result.skipped += 1;
        continue;
      }
      if (performance.now() > until) {
        result.left += 1;
        continue;
      }
      options.onProgress?.({ ...result, findings: result.findings.length, next: attack });
      const finding = await range.attack(attack);
      if (finding) report(finding);
      result.made += 1;
      if (result.made % LISTS_EVERY === 0) for (const late of await range.askLists()) report(late);
      if (result.made % STORE_LASTS === 0) await range.renew();
    }
    for (const late of await range.askLists()) report(late);
  } finally {
    await range.close();
  }
  return result;
}

/** The targets, one for each broker, and what was done to each since its lists were last known to answer. */
class Range {
  private readonly targets = new Map<Engine, Target>();
  private since: Attack[] = [];
  private slowness = 1;

  constructor(
    private readonly deadlineMs: number,
    private readonly onTry: RunOptions['onTry'],
  ) {}

  async attack(attack: Attack): Promise<Finding | null> {
    const { engine = 'postgres' } = attack;
    const target = this.targets.get(engine) ?? (await openTarget(engine));
    if (!this.targets.has(engine)) this.slowness = await target.slowness();
    this.targets.set(engine, target);
    this.since.push(attack);
    let finding = await this.measure(target, attack, { alone: false });
    if (!target.victim.running()) await this.drop(engine);
    for (let proof = 0; proof < 2 && finding !== null && !isBeyondDoubt(finding); proof++) {
      const again = await this.prove(attack);
      finding = again && least(finding, again);
    }
    // What it left behind must not be found again in what follows.
    if (finding !== null) await this.renew();
    return finding;
  }

  /** On a new store: what an earlier attack left behind is not the fault of this one. */
  private async prove(attack: Attack): Promise<Finding | null> {
    const target = await openTarget(attack.engine ?? 'postgres');
    try {
      this.slowness = await target.slowness();
      return await this.measure(target, attack, { alone: true });
    } finally {
      await target.close();
    }
  }

  /** Finds the attacks after which something does not answer, each on a new store. */
  async askLists(): Promise<Finding[]> {
    const since = this.since;
    this.since = [];
    if (since.length === 0) return [];
    const broken: string[] = [];
    for (const target of this.targets.values()) broken.push(...(await whatIsBrokenIn(target, this.slowness)));
    if (broken.length === 0) return [];
    const findings: Finding[] = [];
    const isKnown = (one: string) => broken.some((known) => ruleOf(known) === ruleOf(one));
    for (const attack of since) {
      const finding = await this.prove(attack);
      if (finding?.wrong.some(isKnown)) findings.push(finding);
    }
    await this.renew();
    if (findings.length > 0) return findings;
    const all = since.map(labelOf).join(' + ');
    const attack = { ...since[0]!, entry: `one of these together: ${all.slice(0, 1000)}` };
    return [{ attack, status: 'lists', stallMs: 0, memoryBytes: 0, answerBytes: 0, wrong: broken }];
  }

  async renew(): Promise<void> {
    await this.close();
    this.since = [];
  }

  async close(): Promise<void> {
    for (const engine of [...this.targets.keys()]) await this.drop(engine);
  }

  private async drop(engine: Engine): Promise<void> {
    const target = this.targets.get(engine);
    this.targets.delete(engine);
    await target?.close();
  }

  private async measure(
    target: Target,
    attack: Attack,
    { alone }: { alone: boolean },
  ): Promise<Finding | null> {
    const { deadlineMs, slowness } = this;
    const measured = await makeAttack(target, attack, { alone, deadlineMs, slowness });
    this.onTry?.(measured);
    return measured.wrong.length > 0 ? measured : null;
  }
}

async function makeAttack(
  target: Target,
  attack: Attack,
  { alone, deadlineMs, slowness }: { alone: boolean; deadlineMs: number; slowness: number },
): Promise<Finding> {
  const within = attack.deadlineMs ?? deadlineMs;
  const wrong: string[] = [];
  const finding: Finding = { attack, status: '', stallMs: 0, memoryBytes: 0, answerBytes: 0, wrong };
  try {
    await target.begin({ collect: alone });
    const outcome = await inTime(attack.run(target), within);
    const budget = budgetOf(attack, outcome.sentBytes);
    if (outcome.wrong) wrong.push(outcome.wrong);
    finding.status = outcome.status;
    finding.answerBytes = outcome.answerBytes;
    const accepted = /^(?:2|taken)/.test(outcome.status);
    if (accepted && !(await target.drained(30_000))) wrong.push('emails wait for a worker');
    const { stallMs, peakBytes, restBytes } = await target.end(within);
    finding.stallMs = stallMs;
    finding.memoryBytes = Math.max(0, peakBytes - restBytes);
    if (stallMs > budget.stallMs * slowness) wrong.push(`stalls ${Math.round(stallMs)} ms`);
    if (finding.memoryBytes > budget.memoryBytes) wrong.push(`holds ${inMb(finding.memoryBytes)}`);
    if (outcome.answerBytes > budget.memoryBytes) wrong.push(`answers ${inMb(outcome.answerBytes)}`);
    if (alone) wrong.push(...(await whatIsBrokenIn(target, slowness)));
  } catch (error) {
    const { message } = error as Error;
    if (target.victim.running() && !HANGS.test(message)) {
      wrong.push(`the harness itself: ${message}`);
      return finding;
    }
    // Its memory may show before its end does.
    if (target.victim.running()) await pause(200);
    finding.status = target.victim.running() ? 'hung' : 'dead';
    if (target.victim.running()) await target.victim.kill(`hung for ${within / 1000} s`);
    wrong.push(`process dead: ${target.victim.death()} (${message})`);
  }
  return finding;
}

/** What a page of any list may cost, whatever is stored. */
const LISTS_BYTES = 64 * 1024 ** 2;

async function whatIsBrokenIn(target: Target, slowness: number): Promise<string[]> {
  await target.begin({ collect: true });
  const broken = await whatIsBroken(target);
  const { stallMs, peakBytes, restBytes } = await target.end(60_000);
  if (stallMs > STALL_MS * slowness) broken.push(`reading the lists stalls ${Math.round(stallMs)} ms`);
  if (peakBytes - restBytes > LISTS_BYTES)
    broken.push(`reading the lists holds ${inMb(peakBytes - restBytes)}`);
  return broken;
}

/** What this harness itself says of a process that does not answer. */
const HANGS = /^(?:hung|dead|no answer in time)$/;

async function inTime<T>(work: Promise<T>, withinMs: number): Promise<T> {
  const expiry = new AbortController();
  const late = pause(withinMs, null, { signal: expiry.signal }).then(
    () => Promise.reject(new Error('no answer in time')),
    () => new Promise<never>(() => undefined),
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    expiry.abort();
  }
}

function isBeyondDoubt({ attack, status, stallMs, wrong }: Finding): boolean {
  const budget = budgetOf(attack);
  return status === 'dead' || stallMs > 10 * budget.stallMs || wrong.some((one) => one.startsWith('500'));
}

/** Of two tries the smaller measures, and of what was wrong only what was wrong both times. */
function least(one: Finding, two: Finding): Finding | null {
  const before = new Set(one.wrong.map(ruleOf));
  const wrong = two.wrong.filter((sentence) => before.has(ruleOf(sentence)));
  if (wrong.length === 0) return null;
  return {
    ...two,
    wrong,
    stallMs: Math.min(one.stallMs, two.stallMs),
    memoryBytes: Math.min(one.memoryBytes, two.memoryBytes),
  };
}

/** A sentence without its measures. */
const ruleOf = (sentence: string) => sentence.replace(/\d.*/, '');

export function inMb(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(bytes < 10 * 1024 ** 2 ? 1 : 0)} MB`;
}
