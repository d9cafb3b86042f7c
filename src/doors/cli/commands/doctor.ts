import { describeProblem } from '../../../config.js';
import { isPostriderError, messageOf } from '../../../kernel/index.js';
import type { Finding } from '../application.js';
import type { Cli } from '../cli.js';
import { EXIT_FAULT } from '../present-error.js';
import { progress } from '../progress.js';
import { printable } from '../terminal.js';
import { withApplication } from '../with-application.js';
import type { ShowOptions } from './config.js';

/**
 * `postrider doctor`: looks at Node, the configuration, the store and the way out, and says for each
 * what is wrong and what helps. What cannot be opened is a finding, not a crash.
 */
export async function doctor(cli: Cli, options: ShowOptions): Promise<number> {
  const findings = await progress(cli.terminal, 'Looking', () => examine(cli, options));
  const ok = findings.every((finding) => finding.ok);
  if (options.json) cli.terminal.out(JSON.stringify({ ok, findings }, null, 2));
  else for (const finding of findings) present(cli, finding);
  return ok ? 0 : EXIT_FAULT;
}

async function examine(cli: Cli, options: ShowOptions): Promise<Finding[]> {
  const findings = [nodeFinding(cli.nodeVersion)];
  const checked = cli.checkConfig({ file: options.config });
  if (!checked.ok) {
    const message = checked.problems.map(describeProblem).join(' ');
    return [
      ...findings,
      { check: 'configuration', ok: false, message, help: 'Correct these settings first.' },
    ];
  }
  findings.push({ check: 'configuration', ok: true, message: 'Every setting can be used.' });
  try {
    const found = await withApplication(cli, { file: options.config }, (application) => application.doctor());
    return [...findings, ...found];
  } catch (error) {
    const help = isPostriderError(error) ? { help: error.help } : {};
    return [...findings, { check: 'opening', ok: false, message: messageOf(error), ...help }];
  }
}

function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  const help = ok ? {} : { help: 'Install Node 20.19 or newer.' };
  return { check: 'node', ok, message: `Node ${version}`, ...help };
}

function present({ terminal }: Cli, finding: Finding): void {
  const { green, yellow, red, dim } = terminal.colors;
  const good = finding.note ? yellow('!') : green('✓');
  terminal.out(`${finding.ok ? good : red('✗')} ${finding.check}: ${printable(finding.message)}`);
  if ((finding.note || !finding.ok) && finding.help) terminal.out(dim(`  ${printable(finding.help)}`));
}
