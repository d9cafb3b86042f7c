import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../../config.js';
import { messageOf, PostriderError } from '../../../kernel/index.js';
import type { EmailRegistry, EmailType, RenderedContent } from '../../../render/index.js';
import type { Cli, CommonOptions } from '../cli.js';
import { columns } from '../columns.js';
import { printable } from '../terminal.js';
import { configOf } from '../with-application.js';
import { withTemplates } from '../with-templates.js';
import { keyOf, numberOf } from './template-overrides.js';

/** `postrider templates list`: every type and what it promises, the application's own too. Opens no store. */
export async function templatesList(cli: Cli, options: CommonOptions & { json?: boolean }): Promise<number> {
  const { terminal } = cli;
  const types = (await registryOf(configOf(cli, { file: options.config }))).list();
  if (options.json) {
    terminal.out(JSON.stringify(types.map(described), null, 2));
    return 0;
  }
  const rows = types.map((type) => {
    const { portal, category, priority, limit, expires, sensitive } = described(type);
    return [
      type.type,
      portal,
      category,
      `priority ${priority}`,
      limit,
      expires,
      sensitive ? 'sensitive' : '',
    ];
  });
  for (const line of columns(rows)) terminal.out(line);
  return 0;
}

/**
 * `postrider templates preview`: one type with its sample data or that of a file: subject, plain text and what mail
 * programs would not show; the HTML opens in a browser when a person is watching.
 */
export async function templatesPreview(
  cli: Cli,
  name: string,
  options: PreviewCommandOptions,
): Promise<number> {
  const { terminal } = cli;
  const { checkClientHtml, createRenderer, createTemplateFiles } = await import('../../../render/index.js');
  const config = configOf(cli, { file: options.config });
  const type = (await registryOf(config)).get(name);
  const renderer = createRenderer({
    ...{ files: createTemplateFiles(), appUrl: config.render.appUrl },
    brands: config.brands ?? [],
  });
  const lang = options.lang ?? 'en';
  const data = renderer.checkData(type, options.data === undefined ? type.sample : readData(options.data));
  const content =
    options.stored === undefined
      ? renderer.render({ type, lang, data, companyId: options.company })
      : await storedVersion(cli, type.type, options, data);
  for (const warning of checkClientHtml(content)) terminal.note(`Mail programs: ${printable(warning)}`);
  if (options.html || options.text) {
    terminal.out(options.html ? content.html : lines(content.text));
    return 0;
  }
  terminal.out(`Subject: ${printable(content.subject)}\n\n${lines(content.text)}`);
  if (opens(cli, options.open)) await openHtml(cli, `${type.type}.${lang}`, content);
  return 0;
}

export interface PreviewCommandOptions extends CommonOptions {
  lang?: string;
  /** Whose brand it wears. */
  company?: string;
  /** A version of the company's own, which only the store has. */
  stored?: string;
  /** A file with the data as JSON. */
  data?: string;
  html?: boolean;
  text?: boolean;
  open?: string;
}

function storedVersion(
  cli: Cli,
  type: string,
  options: PreviewCommandOptions,
  data: unknown,
): Promise<RenderedContent> {
  const version = numberOf(options.stored ?? '', '--stored');
  return withTemplates(cli, options, (templates) =>
    templates.preview(keyOf(type, options), { version, data }),
  );
}

/** The built-in types and those of POSTRIDER_TYPES. */
async function registryOf({ render }: Config): Promise<EmailRegistry> {
  const { catalogue, createEmailRegistry } = await import('../../../render/index.js');
  const { loadTypes } = await import('../../../load-types.js');
  return createEmailRegistry(catalogue, (await loadTypes(render.types))?.types);
}

function opens({ terminal }: Cli, open: string | undefined): boolean {
  if (open === undefined) return terminal.watched;
  if (open === 'yes' || open === 'no') return open === 'yes';
  throw new PostriderError('INVALID_PAYLOAD', '--open takes yes or no.', { field: '--open' });
}

async function openHtml({ terminal, openFile }: Cli, name: string, { html }: RenderedContent): Promise<void> {
  const path = join(mkdtempSync(join(tmpdir(), 'postrider-preview-')), `${name}.html`);
  writeFileSync(path, html);
  if (!(await openFile(path))) terminal.note('No browser could be opened.');
  terminal.note(path);
}

function readData(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new PostriderError('INVALID_PAYLOAD', `--data ${file} cannot be read: ${messageOf(error)}`, {
      field: '--data',
      cause: error,
    });
  }
}

/** Data may hold what moves the cursor; line breaks stay. */
function lines(text: string): string {
  return text.trimEnd().split('\n').map(printable).join('\n');
}

function described({ type, portal, category, priority = 3, rateLimit, expiresInMs, sensitive }: EmailType) {
  const limit = rateLimit ? `${rateLimit.limit} per ${windowText(rateLimit.windowSeconds)}` : 'no limit';
  const expires = expiresInMs === null ? 'never expires' : `expires in ${durationText(expiresInMs / 1000)}`;
  return { type, portal, category, priority, limit, expires, sensitive };
}

function windowText(seconds: number | null): string {
  return seconds === null ? 'person' : durationText(seconds);
}

function durationText(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400} d`;
  return seconds % 3600 === 0 ? `${seconds / 3600} h` : `${seconds / 60} min`;
}
