/**
 * `npm run gallery`: renders the built-in emails in Chromium and writes docs/gallery/*.webp and docs/GALLERY.md: every
 * sample of every type in every language, and one of each portal on a dark screen and on a phone. They wear the brands
 * of the configuration, if there are any. Korean needs a font that has it, or nothing is written.
 * CHROMIUM_PATH names another browser than /usr/bin/chromium.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'docs', 'gallery');
const out = join(root, '.build');
const MAX_BYTES = 3 * 1024 * 1024;
const LANGUAGES = { en: 'English', de: 'German', ko: 'Korean' };
const PORTALS = ['hub', 'org', 'agency', 'admin', 'app', 'rss'];
/** The email that stands for its portal on other screens. */
const STANDS_FOR = {
  hub: 'hub_password_changed',
  org: 'org_invite',
  agency: 'agency_welcome',
  admin: 'admin_tfa',
  app: 'meeting_scheduled',
  rss: 'RSS_REGISTRATION',
};
const SCREENS = {
  desktop: { width: 680, colorScheme: 'light' },
  dark: { width: 680, colorScheme: 'dark' },
  phone: { width: 390, colorScheme: 'light' },
};

refuseWithoutKorean();
compile();
const { catalogue, createRenderer, createTemplateFiles, checkClientHtml } = await compiled('render/index.js');
const { checkConfig } = await compiled('config.js');
const checked = checkConfig({ development: true });
if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
const { brands, render } = checked.config;
const renderer = createRenderer({
  files: createTemplateFiles(root),
  appUrl: render.appUrl,
  brands: brands ?? [],
});
const pictures = catalogue.flatMap(picturesOf);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
await photograph(pictures);
writeFileSync(join(root, 'docs', 'GALLERY.md'), page(pictures));
const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
console.log(`${pictures.length} pictures, ${(bytes / 1024 / 1024).toFixed(2)} MB`);
if (bytes > MAX_BYTES) {
  console.error('The gallery is larger than 3 MB.');
  process.exitCode = 1;
}

function picturesOf(type) {
  const { portal } = type;
  const samples = Object.entries({ '': type.sample, ...type.moreSamples });
  const shown = samples.flatMap(([name, data]) =>
    Object.keys(LANGUAGES).map((lang) => ({ type, portal, name, data, lang, screen: 'desktop' })),
  );
  if (STANDS_FOR[portal] !== type.type) return shown;
  const other = { type, portal, name: '', data: type.sample, lang: 'en' };
  return [...shown, { ...other, screen: 'dark' }, { ...other, screen: 'phone' }];
}

function fileOf({ type, name, lang, screen }) {
  const parts = [type.type, name.replaceAll(' ', '-'), lang, screen === 'desktop' ? '' : screen];
  return `${parts.filter(Boolean).join('.')}.webp`;
}

async function photograph(all) {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-lcd-text'] });
  try {
    for (const [at, picture] of all.entries()) {
      const { type, lang, data } = picture;
      const content = renderer.render({ type, lang, data: renderer.checkData(type, data) });
      const problems = checkClientHtml(content);
      if (problems.length > 0) throw new Error(`${type.type} in ${lang}: ${problems.join('; ')}`);
      const { width, colorScheme } = SCREENS[picture.screen];
      const context = await browser.newContext({
        viewport: { width, height: 400 },
        colorScheme,
      });
      const tab = await context.newPage();
      await tab.setContent(withImages(content));
      // Of Chromium's own formats the one that takes a third of the bytes.
      const height = await tab.evaluate(() => document.documentElement.scrollHeight);
      const session = await context.newCDPSession(tab);
      const { data: image } = await session.send('Page.captureScreenshot', {
        format: 'webp',
        quality: 82,
        captureBeyondViewport: true,
        clip: { x: 0, y: 0, width, height, scale: 1 },
      });
      writeFileSync(join(folder, fileOf(picture)), Buffer.from(image, 'base64'));
      await context.close();
      if (process.stderr.isTTY) process.stderr.write(`\r${at + 1} of ${all.length} `);
    }
  } finally {
    await browser.close();
  }
}

/** Pictures that go along, as data. */
function withImages({ html, images = [] }) {
  return images.reduce(
    (shown, { contentId, contentType, content }) =>
      shown.replaceAll(
        `cid:${contentId}`,
        `data:${contentType};base64,${Buffer.from(content).toString('base64')}`,
      ),
    html,
  );
}

function page(all) {
  const lines = [
    '# Gallery',
    '',
    'Every built-in email as Chromium shows it with its sample data, in every language. Made by `npm run gallery`; do not edit.',
    'How emails are written: [CONTENT.md](CONTENT.md).',
  ];
  const shot = (picture, width) => {
    const file = `gallery/${fileOf(picture)}`;
    const alt = [picture.type.type, picture.name, picture.lang, picture.screen].filter(Boolean).join(', ');
    return `<a href="${file}"><img src="${file}" width="${width}" alt="${alt}"></a>`;
  };
  for (const portal of PORTALS) {
    const own = all.filter((picture) => picture.portal === portal);
    const rows = own.filter(({ lang, screen }) => lang === 'en' && screen === 'desktop');
    lines.push('', `## ${portal}`, '', `| | ${Object.values(LANGUAGES).join(' | ')} |`, '|---|---|---|---|');
    for (const row of rows) {
      const title = row.name ? `\`${row.type.type}\`, ${row.name}` : `\`${row.type.type}\``;
      const shown = Object.keys(LANGUAGES).map((lang) => shot({ ...row, lang }, 280));
      lines.push(`| ${title} | ${shown.join(' | ')} |`);
    }
    const others = own.filter(({ screen }) => screen !== 'desktop');
    lines.push('', `\`${others[0].type.type}\` on a dark screen and on a phone:`, '');
    lines.push(others.map((picture) => shot(picture, picture.screen === 'phone' ? 200 : 340)).join('\n'));
  }
  return `${lines.join('\n')}\n`;
}

/** The sources, to where the tests and benches compile them. */
function compile() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const incremental = ['--incremental', '--tsBuildInfoFile', join(out, 'tsbuildinfo.json')];
  const run = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.run.json', ...incremental], {
    cwd: root,
    encoding: 'utf8',
  });
  if (run.status !== 0) console.error(`gallery: the sources compile with errors:\n${run.stdout}`);
}

function compiled(path) {
  return import(pathToFileURL(join(out, 'src', path)).href);
}

function refuseWithoutKorean() {
  const found = spawnSync('fc-list', [':lang=ko', 'family'], { encoding: 'utf8' });
  if (found.status !== 0 || found.stdout.trim() !== '') return;
  console.error('gallery: no font has Korean; install one, for example the Debian package fonts-nanum.');
  process.exit(1);
}
