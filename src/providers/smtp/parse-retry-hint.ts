/**
 * The wait a server asks for in the text of a 4yz, as greylisting does: "try again in 300 seconds",
 * "retry after 5 minutes", "wait 00:04:59". Undefined where nothing is said or it is over a day.
 */
export function parseRetryHint(text: string): number | undefined {
  const clock = /\b(\d{1,2}):(\d\d):(\d\d)\b/.exec(text);
  const words = /\b(?:in|after|wait|for)\s+(\d{1,6})\s*(s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b/i.exec(
    text,
  );
  let seconds = 0;
  if (words) seconds = Number(words[1]) * UNIT_SECONDS[words[2]!.charAt(0).toLowerCase()]!;
  else if (clock && ASKS_TO_WAIT.test(text)) {
    seconds = Number(clock[1]) * 3600 + Number(clock[2]) * 60 + Number(clock[3]);
  }
  return seconds > 0 && seconds <= 86_400 ? seconds * 1000 : undefined;
}

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600 };
const ASKS_TO_WAIT = /greylist|graylist|try again|retry|wait/i;
