import { createRequire } from 'node:module';
import { join } from 'node:path';
import { catalogue, createRenderer, createTemplateFiles, deriveText } from '../../src/render/index.js';
import type { Bench, Figure } from '../bench.js';
import { installPeers, PEERS_FOLDER } from '../ground/install-peers.js';

/**
 * Emails rendered per second and core: password_reset in English with its plain text, every time with another name,
 * data checked; against others making the same email, each the way its manual says, with text derived once more where
 * it offers nothing better. What is not installed is named and left out.
 */
export const render: Bench = {
  name: 'render',
  says: 'a catalogue type with its text part, against handlebars, @react-email/render and mjml',
  async run({ progress }) {
    const figures: Figure[] = [];
    await installPeers(progress);
    progress('Postrider');
    const own = await rate(ownRenderer());
    const missing: string[] = [];
    for (const [what, open] of Object.entries(OTHERS)) {
      progress(what);
      const made = await open().catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'MODULE_NOT_FOUND' || error.code === 'ERR_MODULE_NOT_FOUND') return null;
        throw error;
      });
      if (made === null) missing.push(what);
      else {
        const value = await rate(made);
        const note = `Postrider makes ${(own / value).toFixed(1)} ×${what === 'handlebars' ? HANDLEBARS : ''}`;
        figures.push({ what, value, unit: 'emails/s', note });
      }
    }
    figures.unshift({
      ...{ what: 'Postrider', value: own, unit: 'emails/s', target: { atLeast: 20_000 } },
      ...(missing.length > 0 && { note: `not installed here: ${missing.join(', ')}` }),
    });
    return figures;
  },
};

interface Reset {
  name: string;
  resetUrl: string;
  expiresInMinutes: number;
}
type Make = (data: Reset) => { html: string; text: string } | Promise<{ html: string; text: string }>;

const SECONDS = 2;
/** It is given what Postrider made, so that only putting in the data is left. */
const HANDLEBARS = ', which also checks the data and does plurals and numbers';

/** Per second of this process's own processor time, so that neighbours on the machine do not count. */
async function rate(make: Make): Promise<number> {
  const work = async (until: () => boolean) => {
    let count = 0;
    for (; !until(); count++) {
      const data = {
        name: `Ada ${count}`,
        resetUrl: `https://app.example.com/r?t=${count}`,
        expiresInMinutes: 60,
      };
      const { html, text } = await make(data);
      // As it will be sent: bytes, not pieces of a string.
      if (Buffer.byteLength(html) === 0 || Buffer.byteLength(text) === 0)
        throw new Error('nothing was rendered');
    }
    return count;
  };
  const cpuSince = (from: NodeJS.CpuUsage) => {
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1e6;
  };
  const warm = process.cpuUsage();
  await work(() => cpuSince(warm) > SECONDS / 4);
  const started = process.cpuUsage();
  const count = await work(() => cpuSince(started) > SECONDS);
  return count / cpuSince(started);
}

const type = catalogue.find((one) => one.type === 'password_reset')!;

function ownRenderer(): Make {
  const renderer = createRenderer({ files: createTemplateFiles(), appUrl: null });
  return (data) => renderer.render({ type, lang: 'en', data: renderer.checkData(type, data) });
}

/** What Postrider makes, with marks where the data goes. */
function markedEmail(): { html: string; text: string } {
  const marked = { name: 'MARKNAME', resetUrl: 'https://x.example/MARKURL', expiresInMinutes: 4711 };
  const { html, text } = ownRenderer()(marked) as { html: string; text: string };
  const mark = (source: string) =>
    source
      .replaceAll('MARKNAME', '{{name}}')
      .replaceAll('https://x.example/MARKURL', '{{resetUrl}}')
      .replaceAll('4,711', '{{expiresInMinutes}}');
  return { html: mark(html), text: mark(text) };
}

const require = createRequire(import.meta.url);
const requirePeer = createRequire(join(PEERS_FOLDER, 'package.json'));
/** Not known to the compiler: a bench runs with what is there. */
const load = (name: string, from = require): Promise<Record<string, never>> => import(from.resolve(name));

const OTHERS: Record<string, () => Promise<Make>> = {
  async handlebars() {
    const { default: handlebars } = (await load('handlebars', requirePeer)) as unknown as {
      default: Handlebars;
    };
    const { html, text } = markedEmail();
    const page = handlebars.compile(html);
    const plain = handlebars.compile(text, { noEscape: true });
    return (data) => ({ html: page(data), text: plain(data) });
  },
  async '@react-email/render'() {
    const { createElement } = (await load('react')) as unknown as { createElement: CreateElement };
    const email = (await load('@react-email/render')) as unknown as ReactEmail;
    const body = /<table[\s\S]*<\/table>/.exec(markedEmail().html)![0];
    const [before, between, after] = [
      body.slice(0, body.indexOf('<h1')),
      body.slice(body.indexOf('</h1>') + 5, body.indexOf('<p')),
      body.slice(body.lastIndexOf('</p>') + 4),
    ];
    const raw = (html: string) => createElement('div', { dangerouslySetInnerHTML: { __html: html } });
    const paragraph = (text: string) =>
      createElement('p', { style: { margin: '0 0 18px', fontSize: 16 } }, text);
    return async ({ name, resetUrl, expiresInMinutes }) => {
      const content = createElement(
        'html',
        { lang: 'en' },
        createElement(
          'body',
          {},
          raw(before),
          createElement('h1', {}, 'Choose a new password'),
          raw(between),
          paragraph(`Hello ${name},`),
          paragraph('You asked to reset your password. Follow the link to choose a new one.'),
          createElement('a', { href: resetUrl, style: { padding: 13 } }, 'Choose a new password'),
          paragraph(`The link works for ${expiresInMinutes} minutes and only once.`),
          raw(after),
        ),
      );
      const html = await email.render(content);
      return { html, text: email.toPlainText ? email.toPlainText(html) : deriveText(html) };
    };
  },
  async mjml() {
    const { default: mjml } = (await load('mjml', requirePeer)) as unknown as {
      default: (source: string) => unknown;
    };
    return async ({ name, resetUrl, expiresInMinutes }) => {
      const line = (text: string) => `<mj-text>${text}</mj-text>`;
      const source = `<mjml><mj-body><mj-section><mj-column>${line('Choose a new password')}${line(`Hello ${name},`)}
${line('You asked to reset your password. Follow the link to choose a new one.')}
<mj-button href="${resetUrl}">Choose a new password</mj-button>
${line(`The link works for ${expiresInMinutes} minutes and only once.`)}</mj-column></mj-section></mj-body></mjml>`;
      const { html } = (await mjml(source)) as { html: string };
      return { html, text: deriveText(html) };
    };
  },
};

interface Handlebars {
  compile(source: string, options?: { noEscape: boolean }): (data: Reset) => string;
}
type CreateElement = (type: string, properties: object, ...children: unknown[]) => unknown;
interface ReactEmail {
  render(element: unknown): Promise<string>;
  toPlainText?(html: string): string;
}
