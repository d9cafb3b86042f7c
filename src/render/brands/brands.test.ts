import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../catalogue/catalogue.js';
import { checkClientHtml } from '../check-client-html.js';
import { createRenderer } from '../create-renderer.js';
import { PORTALS } from '../define-email.js';
import { createTemplateFiles } from '../template-files.js';
import { contrast } from './colors.js';
import { type BrandInput, checkBrands } from './parse-brands.js';

/** An application's look over the package's templates: for all, for a portal, for a company. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const files = createTemplateFiles();
let folder: string;
let logo: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'brands-'));
  logo = join(folder, 'logo.png');
  writeFileSync(logo, PNG);
  writeFileSync(join(folder, 'logo.svg'), '<svg/>');
  writeFileSync(join(folder, 'large.png'), Buffer.concat([PNG, Buffer.alloc(100 * 1024)]));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** One with a button, where there is one. */
const typeOf = (portal: string) =>
  catalogue.find((one) => one.type === 'RSS_REGISTRATION' && portal === 'rss') ??
  catalogue.find((one) => one.portal === portal)!;

function show(
  brands: BrandInput[],
  { portal = 'app', lang = 'en', companyId = '', appUrl = null as string | null } = {},
) {
  const renderer = createRenderer({ files, appUrl, brands: checkBrands(brands) });
  const type = typeOf(portal);
  return renderer.render({ type, lang, companyId, data: renderer.checkData(type, type.sample) });
}

describe('a brand', () => {
  it.each(PORTALS)(
    'name, logo, colours, footer in %s → there, in plain text too; no example of ours is left',
    (portal) => {
      const content = show(
        [
          {
            name: 'Fjord & Co',
            color: '#7a2e6b',
            footer: 'You have an account with us.',
            url: 'https://fjord.example',
            logo: { file: logo, width: 120 },
          },
        ],
        { portal },
      );
      expect(content.html).toContain('src="cid:brand-logo" width="120" alt="Fjord &amp; Co"');
      expect(content.html).toContain('#7a2e6b');
      expect(content.html).toContain('You have an account with us.');
      expect(content.text).toContain('You have an account with us.');
      expect(content.html + content.text).not.toContain('Example Street');
      expect(content.html.replaceAll(`${portal}.example.com/`, '')).not.toMatch(/example\.com/);
      expect(content.images).toEqual([
        expect.objectContaining({ filename: 'logo.png', contentType: 'image/png', contentId: 'brand-logo' }),
      ]);
      expect(checkClientHtml(content)).toEqual([]);
    },
  );

  it('none given → the package’s own, and no image goes along', () => {
    const content = show([]);
    expect(content.html).toMatch(/>Eve\s*<\/td>/);
    expect(content.text).toContain('Eve, 1 Example Street, Oslo');
    expect(content).not.toHaveProperty('images');
  });

  it('for all, a portal, a company → the later wins, field by field', () => {
    const brands: BrandInput[] = [
      { name: 'All', color: '#112233' },
      { portal: 'app', name: 'App' },
      { companyId: 'acme', name: 'Acme', address: 'Acme, 1 Road' },
    ];
    expect(show(brands, { portal: 'hub' }).html).toMatch(/>All\s*<\/td>/);
    expect(show(brands).html).toMatch(/>App\s*<\/td>/);
    const acme = show(brands, { companyId: 'acme' });
    expect(acme.html).toMatch(/>Acme\s*<\/td>/);
    expect(acme.html).toContain('#112233');
    expect(acme.text).toContain('Acme, 1 Road');
    expect(show(brands, { companyId: 'other' }).html).toMatch(/>App\s*<\/td>/);
  });

  it('a footer by language → that of the language asked for, else of English, else the portal’s own', () => {
    const footer = { en: 'In English.', de: 'Auf Deutsch.' };
    expect(show([{ footer }], { lang: 'de-AT' }).text).toContain('Auf Deutsch.');
    expect(show([{ footer }], { lang: 'ko' }).text).toContain('In English.');
    expect(show([{ footer: { de: 'Auf Deutsch.' } }], { lang: 'ko' }).text).toContain('메일');
  });

  it('a link that is null → left out; its own url → wins over APP_URL', () => {
    const content = show([{ url: 'https://fjord.example/', settingsUrl: null }], {
      appUrl: 'https://app.test',
    });
    expect(content.html).not.toContain('/settings/emails');
    expect(content.text).not.toContain('/settings/emails');
    expect(show([{ name: 'X' }], { appUrl: 'https://app.test' }).text).toContain(
      'https://app.test/settings/emails',
    );
    expect(show([{ url: 'https://fjord.example/' }], { appUrl: 'https://app.test' }).text).toContain(
      'https://fjord.example/settings/emails',
    );
  });

  it('a light colour → dark letters on it; a dark one → a lighter one for dark screens that can be read', () => {
    expect(show([{ color: '#ffd54a' }], { portal: 'hub' }).html).toContain('font-weight:600;color:#14181b');
    const [, dark] = /\.tint\{color:(#[0-9a-f]{6})/.exec(show([{ color: '#1a0f4f' }]).html)!;
    expect(contrast(dark!, '#14181b')).toBeGreaterThanOrEqual(4.5);
  });

  it.each([
    ['no list', { name: 'x' }, 'brands', 'must be a list'],
    ['a colour that is none', [{ color: 'red' }], 'brands[0].color', 'must be a colour such as'],
    ['css in a font', [{ font: 'x;}</style>' }], 'brands[0].font', 'must be names of fonts'],
    ['a script as link', [{}, { url: 'javascript:alert(1)' }], 'brands[1].url', 'must be a URL'],
    ['an unknown portal', [{ portal: 'shop' }], 'brands[0].portal', 'must be one of'],
    ['a misspelt field', [{ colour: '#fff' }], 'brands[0].colour', 'did you mean color'],
    ['a logo without a source', [{ logo: { width: 10 } }], 'brands[0].logo', 'must have either file or url'],
    [
      'a logo that is missing',
      [{ logo: { file: '/no/such.png', width: 10 } }],
      'brands[0].logo.file',
      'cannot be read',
    ],
    ['a name of two lines', [{ name: 'a\nb' }], 'brands[0].name', 'must be one line'],
    ['a footer of two lines', [{ footer: { en: 'a\nb' } }], 'brands[0].footer.en', 'one line'],
  ])('%s → refused by the name of the field', (_, brands, field, said) => {
    expect(() => checkBrands(brands)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', field, message: expect.stringContaining(said) }),
    );
  });

  it('a logo that is no picture, or too large → refused', () => {
    const refusal = (file: string) => () => checkBrands([{ logo: { file: join(folder, file), width: 10 } }]);
    expect(refusal('logo.svg')).toThrow('is not a PNG, JPEG or GIF');
    expect(refusal('large.png')).toThrow('is larger than 100 KB');
  });
});
