/**
 * One question for all who ask at the same moment. Whoever asks gets an answer that was begun after they asked, never
 * an older one: those who come while a question is under way share the next. So what the store says is true for each,
 * and a thousand at once cost two statements. Where a question was in vain because the store is silent, those who came
 * meanwhile are told at once: another one would have them wait as long again.
 */
export function askTogether<Answer>(
  ask: (keys: readonly string[]) => Promise<ReadonlyMap<string, Answer>>,
  monotonic: () => number,
): (key: string) => Promise<Answer | null> {
  let next: Round<Answer> | null = null;
  let underWay = false;

  function begin(): void {
    const round = next;
    if (!round) return;
    next = null;
    underWay = true;
    const beganAt = monotonic();
    const over = () => {
      underWay = false;
      begin();
    };
    ask([...round.keys])
      .then(round.resolve, (error: unknown) => {
        round.reject(error);
        if (monotonic() - beganAt < SILENT_MS) return;
        next?.reject(error);
        next = null;
      })
      .finally(over);
  }

  return async (key) => {
    next ??= openRound();
    next.keys.add(key);
    const { answers } = next;
    // Those of the same turn of the event loop are asked about together.
    if (!underWay && next.keys.size === 1) queueMicrotask(() => !underWay && begin());
    return (await answers).get(key) ?? null;
  };
}

/** What fails sooner was refused, and may well be answered now. */
const SILENT_MS = 400;

interface Round<Answer> {
  keys: Set<string>;
  answers: Promise<ReadonlyMap<string, Answer>>;
  resolve(answers: ReadonlyMap<string, Answer>): void;
  reject(error: unknown): void;
}

function openRound<Answer>(): Round<Answer> {
  let settle: Pick<Round<Answer>, 'resolve' | 'reject'> | undefined;
  const answers = new Promise<ReadonlyMap<string, Answer>>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { keys: new Set(), answers, ...settle! };
}
