/**
 * `npm run gallery`: renders the built-in emails in Chromium and writes docs/gallery/*.png and docs/GALLERY.md: every
 * type in English, and one of each portal in German, in Korean, on a dark screen and on a phone.
 * Korean needs a font that has it. CHROMIUM_PATH names another browser than /usr/bin/chromium.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'docs', 'gallery');
const MAX_BYTES = 3 * 1024 * 1024;
const PORTALS = ['hub', 'org', 'agency', 'admin', 'app', 'rss'];
/** The email that stands for its portal in other languages and on other screens. */
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

const { catalogue, createRenderer, createTemplateFiles, checkClientHtml } = await compiled();
const renderer = createRenderer({ files: createTemplateFiles(root), appUrl: null });
const pictures = catalogue.flatMap(picturesOf);
warnWithoutKorean();
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
  const shown = samples.map(([name, data]) => ({ type, portal, name, data, lang: 'en', screen: 'desktop' }));
  if (STANDS_FOR[portal] !== type.type) return shown;
  const other = { type, portal, name: '', data: type.sample, lang: 'en', screen: 'desktop' };
  return [
    ...shown,
    { ...other, lang: 'de' },
    { ...other, lang: 'ko' },
    { ...other, screen: 'dark' },
    { ...other, screen: 'phone' },
  ];
}

function fileOf({ type, name, lang, screen }) {
  const parts = [
    type.type,
    name.replaceAll(' ', '-'),
    lang === 'en' ? '' : lang,
    screen === 'desktop' ? '' : screen,
  ];
  return `${parts.filter(Boolean).join('.')}.png`;
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
        javaScriptEnabled: false,
      });
      const tab = await context.newPage();
      await tab.setContent(content.html);
      await tab.screenshot({ path: join(folder, fileOf(picture)), fullPage: true });
      await context.close();
      if (process.stderr.isTTY) process.stderr.write(`\r${at + 1} of ${all.length} `);
    }
  } finally {
    await browser.close();
  }
}

function page(all) {
  const lines = [
    '# Gallery',
    '',
    'Every built-in email as Chromium shows it with its sample data. Made by `npm run gallery`; do not edit.',
    'How emails are written: [CONTENT.md](CONTENT.md).',
  ];
  const shot = (picture, width) =>
    `<img src="gallery/${fileOf(picture)}" width="${width}" alt="${picture.type.type}, ${picture.lang}, ${picture.screen}">`;
  for (const portal of PORTALS) {
    lines.push('', `## ${portal}`, '');
    const own = all.filter((picture) => picture.portal === portal);
    const plain = own.filter(({ lang, screen }) => lang === 'en' && screen === 'desktop');
    lines.push('| | |', '|---|---|');
    for (const picture of plain) {
      const title = picture.name ? `\`${picture.type.type}\`, ${picture.name}` : `\`${picture.type.type}\``;
      lines.push(`| ${title} | ${shot(picture, 420)} |`);
    }
    const others = own.filter((picture) => !plain.includes(picture));
    lines.push('', `\`${others[0].type.type}\` in German and Korean, on a dark screen and on a phone:`, '');
    lines.push(others.map((picture) => shot(picture, picture.screen === 'phone' ? 180 : 300)).join('\n'));
  }
  return `${lines.join('\n')}\n`;
}

/** The sources, compiled where the tests and benches compile them to. */
async function compiled() {
  const out = join(root, '.build');
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const incremental = ['--incremental', '--tsBuildInfoFile', join(out, 'tsbuildinfo.json')];
  const run = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.run.json', ...incremental], {
    cwd: root,
    encoding: 'utf8',
  });
  if (run.status !== 0) console.error(`gallery: the sources compile with errors:\n${run.stdout}`);
  return import(pathToFileURL(join(out, 'src', 'render', 'index.js')).href);
}

function warnWithoutKorean() {
  const found = spawnSync('fc-list', [':lang=ko', 'family'], { encoding: 'utf8' });
  if (found.status === 0 && found.stdout.trim() === '')
    console.error('gallery: no font has Korean; install one, for example the Debian package fonts-nanum.');
}
