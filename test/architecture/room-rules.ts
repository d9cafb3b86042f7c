import { importsOf } from './imports-of.js';
import { isTest, ROOT, roomOf, type SourceFile } from './source-file.js';

/**
 * Who may import whom, and by which way. The table is that of the design; a door may call any room but store.
 */
const MAY_IMPORT: Record<string, string[]> = {
  kernel: [],
  store: ['kernel'],
  amqp: ['kernel'],
  access: ['kernel', 'store'],
  recipients: ['kernel', 'store'],
  render: ['kernel', 'store'],
  events: ['kernel', 'store', 'amqp'],
  policy: ['kernel', 'store', 'recipients'],
  providers: ['kernel'],
  mime: ['kernel'],
  outbox: ['kernel', 'store', 'events'],
  intake: ['kernel', 'store', 'recipients', 'policy', 'render', 'outbox'],
  dispatch: ['kernel', 'store', 'amqp', 'outbox'],
  pipeline: ['kernel', 'outbox', 'policy', 'providers', 'events'],
  schedules: ['kernel', 'store', 'recipients', 'intake'],
  views: ['kernel', 'store'],
  alerts: ['kernel', 'store'],
};

export function checkDirections(file: SourceFile): string[] {
  const from = roomOf(file.path);
  if (from === ROOT) return [];
  if (!isDoor(from) && !(from in MAY_IMPORT)) return [`${file.path}: ${from} is not a room of the design`];
  return importsOf(file).flatMap((imported) => {
    if (imported.kind === 'computed')
      return [`${file.path}: imports a computed name, which no rule can check`];
    if (imported.kind !== 'file') return [];
    const problem = judge(file, from, imported.path);
    return problem ? [`${file.path}: ${problem}`] : [];
  });
}

/** A room is entered through its index.ts, so it has one; a program (the command line) is entered by main.ts. */
export function checkEntrances(files: SourceFile[]): string[] {
  const paths = new Set(files.map((file) => file.path));
  const rooms = new Set(files.map((file) => roomOf(file.path)));
  return [...rooms]
    .filter((room) => room !== ROOT && room !== 'doors')
    .filter((room) => !paths.has(`${room}/index.ts`))
    .filter((room) => !(isDoor(room) && paths.has(`${room}/main.ts`)))
    .map((room) => `${room}: has no index.ts`);
}

function judge(file: SourceFile, from: string, target: string): string | undefined {
  if (target.startsWith('../')) {
    const allowed = isTest(file) || target === '../package.json' || target.startsWith('../migrations');
    return allowed ? undefined : `reaches outside src to ${target}`;
  }
  const to = roomOf(target);
  if (to === from) return undefined;
  if (to === 'kernel' && isTest(file)) return undefined;
  if (to === ROOT) return from === 'doors/cli' ? undefined : `imports ${target}; only the command line may`;
  if (!mayImport(from, to)) return `${from} may not import ${to}`;
  if (to === 'doors') return undefined;
  return target === `${to}/index.ts` ? undefined : `enters ${to} by ${target} instead of its index.ts`;
}

function mayImport(from: string, to: string): boolean {
  return isDoor(from) ? to !== 'store' : MAY_IMPORT[from]!.includes(to);
}

function isDoor(room: string): boolean {
  return room === 'doors' || room.startsWith('doors/');
}
