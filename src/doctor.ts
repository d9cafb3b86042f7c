import type { Config } from './config.js';
import type { Finding } from './doors/cli/application.js';
import { isPostriderError, messageOf } from './kernel/index.js';
import type { Postrider } from './postrider.js';

/** Looks at everything delivery needs, one finding each, and says what to do about the bad ones. */
export async function examine({
  config,
  postrider,
}: {
  config: Config;
  postrider: Postrider;
}): Promise<Finding[]> {
  const findings: Finding[] = [];
  const look = async (check: string, examination: () => Promise<string>): Promise<void> => {
    try {
      findings.push({ check, ok: true, message: await examination() });
    } catch (error) {
      const help = isPostriderError(error) ? error.help : undefined;
      findings.push({ check, ok: false, message: messageOf(error), help });
    }
  };
  await look('store', async () => {
    const database = await postrider.ready();
    const { rows } = await database.query<{ version: string; number: number; skew: number }>(
      `select current_setting('server_version') as version, current_setting('server_version_num')::int as number`,
    );
    const { version = '', number = 0 } = rows[0] ?? {};
    if (number < OLDEST_SERVER) throw new Error(`PostgreSQL ${version} is too old; 14 or later is needed.`);
    return `${database.kind === 'pglite' ? 'embedded' : 'PostgreSQL'} ${version}`;
  });
  await look('schema', async () => {
    const { current } = await postrider.migrate();
    return `at ${current}, up to date`;
  });
  for (const { name, provider } of postrider.routes) {
    await look(postrider.routes.length === 1 ? 'provider' : `route ${name}`, async () => {
      const report = await provider.testConnection();
      if (!report.ok) throw new Error(report.message);
      return `${provider.name}: ${report.message}`;
    });
  }
  await look('sender', async () => {
    if (config.email.fromEmail) return config.email.fromEmail;
    if (config.email.mode === 'console') return 'none set; emails are only printed';
    throw new Error('no default sender: set SMTP_FROM_EMAIL, or name from in every email.');
  });
  await look('workers', async () => {
    const { workers, pauses } = await postrider.overview();
    const alive = workers.filter((worker) => worker.alive).length;
    const held = pauses.map((pause) => [pause.scope, pause.value].filter(Boolean).join(':'));
    return `${alive} alive${held.length > 0 ? `; paused: ${held.join(', ')}` : ''}`;
  });
  return findings;
}

const OLDEST_SERVER = 140_000;
