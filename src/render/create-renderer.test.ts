import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { passwordReset } from './catalogue/app-account-emails.js';
import { createRenderer } from './create-renderer.js';
import { defineEmail } from './define-email.js';
import { createEmailRegistry } from './email-registry.js';
import { createTemplateFiles } from './template-files.js';

const files = createTemplateFiles();
const renderer = createRenderer({ files, appUrl: 'https://shop.example.com/' });

const parcel = defineEmail({
  type: 'parcel_sent',
  portal: 'org',
  category: 'orders',
  data: z.strictObject({ name: z.string(), items: z.array(z.object({ title: z.string(), count: z.int() })) }),
  sample: { name: 'Ada', items: [{ title: 'Lamp', count: 2 }] },
  content: {
    subject: '{{t "subject" name=name}}',
    html: `{{#preheader}}{{t "pre"}}{{/preheader}}
<p>{{t "intro"}}</p>
{{#if items}}
<ul>
{{#each items as item}}
<li>{{item.count}} × {{item.title}}</li>
{{/each}}
</ul>
{{/if}}
<p><a href="{{app.url}}/orders">{{t "link"}}</a></p>`,
    messages: {
      en: { subject: 'On its way, {name}', pre: 'Soon.', intro: 'Your parcel:', link: 'Your orders' },
      ar: { subject: 'في الطريق، {name}', pre: 'قريبا', intro: 'طردك:', link: 'طلباتك' },
    },
  },
});

describe('a type of the application', () => {
  it('its own content → inside the layout of its portal, with the address of the application', () => {
    const { subject, html, text } = renderer.render({ type: parcel, lang: 'en', data: parcel.sample });
    expect(subject).toBe('On its way, Ada');
    expect(html).toContain('<title>On its way, Ada</title>');
    expect(html).toContain('<li>2 × Lamp</li>');
    expect(html).toContain('href="https://shop.example.com/orders"');
    expect(html).toMatch(/display:none[^>]*>Soon\.&/);
    expect(text).toBe(
      'Your parcel:\n\n* 2 × Lamp\n\nYour orders (https://shop.example.com/orders)\n\n--\n' +
        'This is a service message from Org. For help, ask your administrator or write to us.\n' +
        'help@org.example.com\nLegal information: https://shop.example.com/legal\nOrg, 1 Example Street, Oslo\n',
    );
  });

  it('an empty list → plain text without a gap', () => {
    const { text } = renderer.render({ type: parcel, lang: 'en', data: { name: 'A', items: [] } });
    expect(text).toContain('Your parcel:\n\nYour orders (');
  });

  it('Arabic → right to left', () => {
    const { html, subject } = renderer.render({ type: parcel, lang: 'ar-EG', data: parcel.sample });
    expect(subject).toBe('في الطريق، Ada');
    expect(html).toContain('<html lang="ar-EG" dir="rtl">');
    expect(html).toContain('text-align:right');
    expect(html).not.toContain('text-align:left');
  });

  it('a whole document → stands without the layout', () => {
    const whole = {
      ...parcel,
      content: { subject: 'x', html: '<!DOCTYPE html><html><body>{{name}}</body></html>' },
    };
    const other = createRenderer({ files, appUrl: null });
    const { html, text } = other.render({ type: whole, lang: null, data: parcel.sample });
    expect(html).toBe('<!DOCTYPE html><html><body>Ada</body></html>');
    expect(text).toBe('Ada\n');
  });
});

describe('data', () => {
  it.each([
    [
      'missing',
      { resetUrl: 'https://x.example', expiresInMinutes: 1 },
      'data.name',
      'is missing; password_reset needs it',
    ],
    ['wrong', { name: 'A', resetUrl: 'nope', expiresInMinutes: 1 }, 'data.resetUrl', 'does not fit'],
    ['misspelt', { ...passwordReset.sample, nmae: 'x' }, 'data.nmae', 'did you mean name'],
    ['a hostile key', { ...passwordReset.sample, 'x\n': 'x' }, 'data', 'does not know'],
  ])('%s → refused by the name of the field', (_, data, field, message) => {
    expect(() => renderer.checkData(passwordReset, data)).toThrow(message);
    expect(() => renderer.checkData(passwordReset, data)).toThrow(
      expect.objectContaining({ field, code: 'INVALID_PAYLOAD' }),
    );
  });

  it('wrong inside a list → the place in it', () => {
    const data = {
      name: 'A',
      items: [
        { title: 'x', count: 1 },
        { title: 'y', count: 'two' },
      ],
    };
    expect(() => renderer.checkData(parcel, data)).toThrow(
      expect.objectContaining({ field: 'data.items[1].count' }),
    );
  });

  it('a link that would run, allowed by the schema → refused by the name of the field', () => {
    const data = { ...passwordReset.sample, resetUrl: 'javascript:alert(1)' };
    expect(() => renderer.render({ type: passwordReset, lang: 'en', data })).toThrow(
      'data.resetUrl is not a link',
    );
  });
});

describe('an override', () => {
  const override = { id: 'o1', subject: 'Own {{name}}', html: '<p>{{name}}</p>', text: null };
  const only = (lang: string) => (asked: string) => (asked === lang ? override : undefined);
  const subjectFor = (lang: string, own: string) =>
    renderer.render({ type: passwordReset, lang, data: passwordReset.sample, override: only(own) }).subject;

  it('of the language asked for, or nearer to it than the code → wins', () => {
    expect(subjectFor('de', 'de')).toBe('Own Ada');
    expect(subjectFor('de-AT', 'de-AT')).toBe('Own Ada');
    expect(subjectFor('fr', 'en')).toBe('Own Ada');
    expect(subjectFor('fr', 'fr')).toBe('Own Ada');
  });

  it('of another language than the code has → leaves the code its own', () => {
    expect(subjectFor('de', 'en')).toBe('Passwort zurücksetzen');
    expect(subjectFor('ko', 'de')).toBe('비밀번호 재설정');
  });
});

describe('declaring', () => {
  it('a bad name, portal or expiry → refused', () => {
    expect(() => defineEmail({ ...parcel, type: '1x' })).toThrow('must be a letter');
    expect(() => defineEmail({ ...parcel, portal: 'nowhere' as 'org' })).toThrow('portal must be one of');
    expect(() => defineEmail({ ...parcel, expiresIn: 'soon' })).toThrow('expiresIn');
    expect(defineEmail({ ...parcel, expiresIn: '15m' }).expiresInMs).toBe(900_000);
  });

  it('the name of a built-in type → replaces it; twice the same → refused; unknown → the likely one', () => {
    const own = defineEmail({ ...parcel, type: 'password_reset' });
    expect(createEmailRegistry([passwordReset], [own]).get('password_reset').portal).toBe('org');
    expect(() => createEmailRegistry([], [own, own])).toThrow('declared twice');
    expect(() => createEmailRegistry([passwordReset]).get('pasword_reset')).toThrow(
      'did you mean password_reset',
    );
  });
});

it('a large version of a tenant, asked for in the regions of the world → few of them are kept, and what is used is', () => {
  const { messages } = parcel.content!;
  const type = defineEmail({
    ...parcel,
    type: 'large',
    content: { subject: 'x', html: '<p>x</p>', messages },
  });
  const other = createRenderer({ files, appUrl: null });
  const compiled: string[] = [];
  const render = (id: string, lang: string, html: string) => {
    const version = {
      ...{ id, subject: 'x', text: null },
      get html() {
        compiled.push(`${id} ${lang}`);
        return html;
      },
    };
    other.render({ type, lang, data: parcel.sample, override: () => version });
  };
  const large = '<p>{{name}} {{t "intro"}}</p>'.repeat(450);
  for (const region of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']) {
    render('large', `en-X${region}`, large);
    render('small', 'en', '<p>{{name}}</p>');
  }
  expect(compiled.filter((one) => one === 'small en')).toHaveLength(1);
  compiled.length = 0;
  render('large', 'en-XZ', large);
  expect(compiled).toEqual([]);
  render('large', 'en-XA', large);
  expect(compiled).toEqual(['large en-XA']);
});
