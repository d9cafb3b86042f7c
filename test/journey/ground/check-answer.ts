import { OPERATIONS } from '../../../src/doors/http/openapi/create-document.js';
import { problemDetails } from '../../../src/doors/http/openapi/shared-schemas.js';

/**
 * Whether an answer is what the description of the API says of its route: a status it names, in the form it shows; every
 * other one is a problem. Says what is wrong, or null. What is described elsewhere is not looked at.
 */
export function checkAnswer(
  method: string,
  path: string,
  answer: { status: number; body: unknown; text: string; headers: Headers },
): string | null {
  const route = routeOf(method, path);
  if (route === null) return null;
  const described = OPERATIONS[route]!.answers[answer.status];
  const type = (answer.headers.get('content-type') ?? '').split(';')[0]!;
  const wrong = (what: string) => `${route} answered ${answer.status}: ${what}: ${answer.text.slice(0, 500)}`;
  const isProblem = type === 'application/problem+json';
  if (described === undefined || (isProblem && answer.status >= 400)) {
    if (answer.status < 400) return wrong('a status that is not described');
    if (!isProblem) return wrong('no problem details');
    const { error } = problemDetails.safeParse(answer.body);
    return error ? wrong(error.message) : null;
  }
  seen.add(`${route} ${answer.status}`);
  if (described === null) return answer.text === '' ? null : wrong('something where nothing is described');
  if (!('safeParse' in described))
    return described.includes(type) || described.includes('*/*') ? null : wrong(`${type} is not described`);
  if (type !== 'application/json') return wrong(`${type} is not described`);
  const { error } = described.safeParse(answer.body);
  return error ? wrong(error.message) : null;
}

/** Routes with the statuses they have answered, as long as this process lives. */
export const seen = new Set<string>();

const patterns = Object.keys(OPERATIONS)
  .map((route) => {
    const [method = '', path = ''] = route.split(' ');
    return { route, method, pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`) };
  })
  // A path in words comes before one with something in its place.
  .sort((a, b) => a.route.split(':').length - b.route.split(':').length);

function routeOf(method: string, path: string): string | null {
  const [bare = ''] = path.split('?');
  return patterns.find((one) => one.method === method && one.pattern.test(bare))?.route ?? null;
}
