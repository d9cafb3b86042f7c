/**
 * The first line up to which a text is at fault already, or null where the whole of it is not. A fault must stay one
 * whatever follows, so that halving finds it: twenty looks at a text of any length we take.
 */
export async function findLine(
  text: string,
  isAtFault: (start: string) => boolean | Promise<boolean>,
): Promise<number | null> {
  if (!(await isAtFault(text))) return null;
  const lines = text.split('\n');
  let [first, last] = [1, lines.length];
  while (first < last) {
    const middle = (first + last) >> 1;
    if (await isAtFault(lines.slice(0, middle).join('\n'))) last = middle;
    else first = middle + 1;
  }
  return first;
}
