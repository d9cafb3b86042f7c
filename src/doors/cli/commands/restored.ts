import type { Cli, CommonOptions } from '../cli.js';
import { progress } from '../progress.js';
import { withApplication } from '../with-application.js';

/** `postrider restored`: marks what a backup cannot know, and holds everything until somebody has looked. */
export function restored(cli: Cli, options: CommonOptions): Promise<number> {
  return withApplication(cli, { file: options.config }, async (application) => {
    const { possibleDuplicates, unknown } = await progress(cli.terminal, 'Marking', () =>
      application.markRestored(),
    );
    cli.terminal.out(
      `${possibleDuplicates} waiting emails are marked as possible duplicates; ${unknown} that must never be repeated ended in unknown.`,
    );
    cli.terminal.out(
      'Emails, webhooks, bus events and schedules are held: start the processes, look, then `postrider resume all`.',
    );
    return 0;
  });
}
