/**
 * One question for all who ask at the same moment. Whoever asks gets an answer that was begun after they asked, never
 * an older one: those who come while a question is under way share the next. So what the store says is true for each,
 * and a thousand at once cost two statements.
 */
export function askTogether<Answer>(
  ask: (keys: readonly string[]) => Promise<ReadonlyMap<string, Answer>>,
): (key: string) => Promise<Answer | null> {
  let next: Round<Answer> | null = null;
  let underWay = false;

  function begin(): void {
    const round = next;
    if (!round) return;
    next = null;
    underWay = true;
    const over = () => {
      underWay = false;
      begin();
    };
    ask([...round.keys])
      .then(round.resolve, round.reject)
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
