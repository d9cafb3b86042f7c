import { readFileSync } from 'node:fs';
import { messageOf, PostriderError } from '../../../kernel/index.js';
import type { TemplateVersion } from '../../../render/index.js';
import type { Cli, CommonOptions } from '../cli.js';
import { columns } from '../columns.js';
import type { ChangingTemplates } from '../running-templates.js';
import { printable } from '../terminal.js';
import { withTemplates } from '../with-templates.js';

/**
 * `postrider templates overrides|versions|draft|discard|publish|roll-back|active`: a company's own content for a type.
 * A template that is broken is refused with line and reason; what was published is kept.
 */
export interface OverrideOptions extends CommonOptions {
  lang?: string;
  company?: string;
  by?: string;
  json?: boolean;
}

export function templatesOverrides(cli: Cli, options: OverrideOptions): Promise<number> {
  return doing(cli, options, async (templates) => {
    const found = await templates.list({ companyId: options.company });
    if (options.json) cli.terminal.out(JSON.stringify(found, null, 2));
    else if (found.length === 0) cli.terminal.out('There are none: every email has the content of the code.');
    else
      for (const line of columns(found.map((one) => [one.companyId, one.type, one.lang, ...stateOf(one)])))
        cli.terminal.out(line);
  });
}

export function templatesVersions(cli: Cli, type: string, options: OverrideOptions): Promise<number> {
  return doing(cli, options, async (templates) => {
    const versions = await templates.listVersions(keyOf(type, options));
    if (options.json) cli.terminal.out(JSON.stringify(versions, null, 2));
    else if (versions.length === 0) cli.terminal.out('There is none.');
    else
      for (const line of columns(versions.map((one) => [...stateOf(one), printable(one.subject)])))
        cli.terminal.out(line);
  });
}

export interface DraftOptions extends OverrideOptions {
  subject: string;
  html: string;
  text?: string;
}

export function templatesDraft(cli: Cli, type: string, options: DraftOptions): Promise<number> {
  const content = {
    subject: options.subject,
    htmlContent: read(options.html, '--html'),
    textContent: options.text === undefined ? null : read(options.text, '--text'),
  };
  return doing(cli, options, async (templates) => {
    const key = keyOf(type, options);
    const { version } = await templates.saveDraft(key, content, authorOf(options));
    const { warnings } = await templates.preview(key, { version });
    for (const warning of warnings) cli.terminal.note(`Mail programs: ${printable(warning)}`);
    cli.terminal.out(`Saved version ${version} as a draft.`);
  });
}

export function templatesDiscard(cli: Cli, type: string, options: OverrideOptions): Promise<number> {
  return doing(cli, options, async (templates) => {
    const gone = await templates.discardDraft(keyOf(type, options));
    cli.terminal.out(gone ? 'The draft is gone.' : 'There was no draft.');
  });
}

export function templatesPublish(cli: Cli, type: string, options: OverrideOptions): Promise<number> {
  return doing(cli, options, async (templates) => {
    const { version } = await templates.publish(keyOf(type, options), authorOf(options));
    cli.terminal.out(`Version ${version} is published.`);
  });
}

export function templatesRollBack(
  cli: Cli,
  type: string,
  options: OverrideOptions & { to?: string },
): Promise<number> {
  const to = options.to === undefined ? undefined : numberOf(options.to, '--to');
  return doing(cli, options, async (templates) => {
    const { version } = await templates.rollBack(keyOf(type, options), authorOf(options), to);
    cli.terminal.out(
      `Version ${version} is published, as ${to === undefined ? 'the one before' : `version ${to}`} was.`,
    );
  });
}

export function templatesActive(
  cli: Cli,
  { type, answer }: { type: string; answer: string },
  options: OverrideOptions,
): Promise<number> {
  if (answer !== 'yes' && answer !== 'no')
    throw new PostriderError('INVALID_PAYLOAD', 'Say yes or no.', { field: 'active' });
  return doing(cli, options, async (templates) => {
    const { version, isActive } = await templates.setActive(
      keyOf(type, options),
      answer === 'yes',
      authorOf(options),
    );
    cli.terminal.out(isActive ? `Version ${version} is used.` : 'The content of the code is used.');
  });
}

async function doing(
  cli: Cli,
  options: CommonOptions,
  work: (templates: ChangingTemplates) => Promise<void>,
): Promise<number> {
  await withTemplates(cli, options, work);
  return 0;
}

export function keyOf(type: string, { company, lang }: OverrideOptions) {
  return { companyId: company, type, lang: lang ?? 'en' };
}

export function numberOf(text: string, field: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new PostriderError('INVALID_PAYLOAD', `${field} takes the number of a version.`, { field });
}

function authorOf({ by }: OverrideOptions): string {
  return by ?? 'command line';
}

type Told = Pick<TemplateVersion, 'version' | 'state' | 'isActive' | 'updatedBy' | 'updatedAt'>;

function stateOf({ version, state, isActive, updatedBy, updatedAt }: Told): string[] {
  const shown = state === 'published' && !isActive ? 'published, not used' : state;
  return [`version ${version}`, shown, new Date(updatedAt).toISOString(), printable(updatedBy)];
}

function read(file: string, field: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new PostriderError('INVALID_PAYLOAD', `${field} ${file} cannot be read: ${messageOf(error)}`, {
      field,
      cause: error,
    });
  }
}
