/**
 * Lines of `format=flowed` (RFC 3676) put together to paragraphs: a line that ends in a space goes on in the next, but
 * for the mark before a signature. With `delSp` that space was added only to be able to break there.
 */
export function unflowed(text: string, delSp: boolean): string {
  let whole = '';
  // Kept beside the text: looking at the end of a text that grows puts it together anew each time.
  let isOpen = false;
  for (let start = 0; start <= text.length; ) {
    const ending = text.indexOf('\n', start);
    const end = ending === -1 ? text.length : ending;
    // A space at the beginning was added to keep the line as it is.
    const from = text[start] === ' ' && start < end ? start + 1 : start;
    const isSignature = end - from === SIGNATURE.length && text.startsWith(SIGNATURE, from);
    const goesOn = ending !== -1 && end > from && text[end - 1] === ' ' && !isSignature;
    // Nothing flows into a signature.
    if (isSignature && isOpen) whole += '\n';
    whole += text.slice(from, goesOn && delSp ? end - 1 : end);
    if (ending !== -1 && !goesOn) whole += '\n';
    isOpen = goesOn;
    start = end + 1;
  }
  return whole;
}

const SIGNATURE = '-- ';
