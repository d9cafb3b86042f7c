import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

// What a process has loaded is memory it keeps: a worker is promised to stay below 200 MB with bodies of 512 KB.
const BUILT = fileURLToPath(new URL('../../.build/src/', import.meta.url));

/** Loaded by the door, the engine or the provider that needs it, and by nothing else. */
const ELSEWHERE = [
  ...['hono', '@hono/node-server', 'smtp-server', 'commander', 'postal-mime', 'standardwebhooks'],
  ...['nodemailer', '@aws-sdk/client-sesv2', 'rabbitmq-client', 'bullmq', 'ioredis', '@electric-sql/pglite'],
  ...['parse5', '@react-email/render', 'react', '@opentelemetry/api'],
  // Of prom-client only the kinds of figures we keep; of Node not its HTTP client, which pg would ask where it runs.
  ...['tdigest', 'node:internal/deps/undici/undici', 'node:internal/http2/core'],
];

test.each([
  ['the library', 'index.js'],
  ['the worker', 'run-worker.js'],
])('%s is imported → only what accepting and delivering need is loaded', async (_what, file) => {
  const loaded = await loadedBy(`${BUILT}${file}`);
  expect(loaded).toContain('pg');
  expect(loaded.filter((name) => ELSEWHERE.includes(name))).toEqual([]);
});

test('the HTTP door is imported → its framework is in the list, so the list can be believed', async () => {
  expect(await loadedBy(`${BUILT}server.js`)).toContain('hono');
});

/** Names of packages and of Node's own modules, as V8 compiled them. */
async function loadedBy(file: string): Promise<string[]> {
  const script = `
    import { Session } from 'node:inspector';
    const session = new Session();
    session.connect();
    const urls = [];
    session.on('Debugger.scriptParsed', ({ params }) => urls.push(params.url));
    session.post('Debugger.enable');
    await import(${JSON.stringify(file)});
    process.stdout.write(JSON.stringify(urls), () => process.exit(0));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    maxBuffer: 16 * 1024 ** 2,
  });
  return [...new Set((JSON.parse(stdout) as string[]).map(nameOf))];
}

function nameOf(url: string): string {
  const path = url.split('/node_modules/').at(-1)!;
  if (path === url) return url;
  return path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/');
}
