import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// The one certificate nobody trusts, which comes with the package.
import tlsOptions from 'smtp-server/lib/tls-options.js';
import type { KeyCaller } from '../../access/index.js';
import { createLogger, ManualClock } from '../../kernel/index.js';
import { type SmtpDoor, type SmtpDoorOptions, startSmtpDoor } from './start-smtp-door.js';

/** The door with stand-ins behind it: two keys, and a list of what was accepted. */
export interface DoorGround {
  door: SmtpDoor;
  clock: ManualClock;
  lines: string[];
  keys: Map<string, KeyCaller>;
  accepted: Array<{ emails: Array<Record<string, unknown>>; idempotencyKey?: string }>;
  /** Instead of accepting. */
  onAccept: (() => Promise<void>) | null;
  certificate: { certificateFile: string; keyFile: string };
  close(): Promise<void>;
}

export const TOKEN = 're_acme';

export async function openDoorGround(
  settings: Partial<SmtpDoorOptions['settings']> & { tls?: boolean } = {},
): Promise<DoorGround> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-smtp-'));
  const certificate = { certificateFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  const { cert, key } = (tlsOptions as unknown as (o: object) => { cert: string; key: string })({});
  await writeFile(certificate.certificateFile, cert);
  await writeFile(certificate.keyFile, key);
  const { tls, ...own } = settings;
  const clock = new ManualClock();
  const lines: string[] = [];
  const ground = {
    clock,
    lines,
    keys: new Map([
      [TOKEN, keyOf('acme', null)],
      ['re_bound', keyOf('bound', ['bound.example'])],
    ]),
    accepted: [] as DoorGround['accepted'],
    onAccept: null as DoorGround['onAccept'],
    certificate,
  };
  const door = await startSmtpDoor({
    async accept(emails, { idempotencyKey }) {
      await ground.onAccept?.();
      ground.accepted.push({
        emails: emails as DoorGround['accepted'][number]['emails'],
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      });
      return emails.map((_, index) => ({ emailId: `id-${ground.accepted.length}-${index}` }));
    },
    keys: { find: async (token) => ground.keys.get(token) ?? null },
    settings: {
      ...{ port: 0, host: '127.0.0.1', name: null, allowPlain: false },
      ...(tls ? certificate : { certificateFile: null, keyFile: null }),
      ...{
        maxMessageBytes: 1024 ** 2,
        maxRecipients: 100,
        maxConnections: 50,
        maxConnectionsPerKey: 3,
        maxUnauthenticatedPerAddress: null,
        messagesPerMinute: 600,
      },
      ...own,
    },
    clock,
    logger: createLogger({ level: 'debug', destination: { write: (line) => lines.push(line) } }),
  }).catch(async (error: unknown) => {
    await rm(folder, { recursive: true });
    throw error;
  });
  return Object.assign(ground, {
    door,
    async close() {
      await door.stop({ deadlineMs: 100 });
      await rm(folder, { recursive: true });
    },
  });
}

function keyOf(companyId: string, fromDomains: string[] | null): KeyCaller {
  return {
    kind: 'key',
    keyId: `key-${companyId}`,
    name: companyId,
    companyId,
    permission: 'sending',
    fromDomains,
  };
}
