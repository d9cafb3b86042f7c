import type { Cli, CommonOptions } from '../cli.js';
import { runUntilStopped } from '../run-until-stopped.js';

/** `postrider dev`: everything in one process on loopback, with an inbox that shows what was sent. */
export function dev(cli: Cli, options: CommonOptions): Promise<number> {
  return runUntilStopped(cli, { file: options.config, development: true }, async (application) => {
    const { bold, cyan, dim } = cli.terminal.colors;
    cli.terminal.note(
      application.isFresh() ? 'Starting; the first start takes a few seconds …' : 'Starting …',
    );
    await application.dev(({ url, smtpPort }) => {
      const base = url.replace(/\/$/, '');
      cli.terminal.out(`${bold('Postrider')} is running.`);
      cli.terminal.out(`  inbox      ${cyan(url)}`);
      cli.terminal.out(
        `  dashboard  ${cyan(`${base}/dashboard/`)}${dim('  open on this machine, nobody signs in')}`,
      );
      cli.terminal.out(`  smtp       127.0.0.1:${smtpPort}`);
      cli.terminal.out(dim('  send one:'));
      cli.terminal.out(
        `  curl -X POST ${base}/v1/email/send -H 'Content-Type: application/json' ` +
          `-d '{"to":"you@example.com","subject":"Hello","text":"It works."}'`,
      );
    }, cli.terminal.out);
  });
}
