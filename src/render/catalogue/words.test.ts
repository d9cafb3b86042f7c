import { describe, expect, it } from 'vitest';
import { createRenderer } from '../create-renderer.js';
import type { EmailType } from '../define-email.js';
import { createTemplateFiles } from '../template-files.js';
import { deletionScheduled, passwordReset } from './app-account-emails.js';
import { checkinReminder, weeklyFocus } from './app-automated-emails.js';
import { catalogue } from './catalogue.js';

/** How the catalogue speaks: plain text as a person writes it, counts, dates and times as each language does. */
const files = createTemplateFiles();
const renderer = createRenderer({ files, appUrl: 'https://eve.example' });
const show = (type: EmailType, lang: string, data: object = {}) =>
  renderer.render({ type, lang, data: renderer.checkData(type, { ...(type.sample as object), ...data }) });

it('plain text → a letter: greeting, link on a line of its own, lists, signature', () => {
  expect(show(weeklyFocus, 'en').text).toBe(`Hello Ada,

A new week begins. Its focus is: Listening.

You met your circle twice last week. This week, try to speak last.

What may help:

- Ask one question before you answer.
- Write down what surprised you.

What you could do:

- Read the notes of your last meeting: https://app.example.com/notes/7
- Thank someone who helped you

Open my week:
https://app.example.com/focus

Warmly, Eve

Stop emails like this one:
https://app.example.com/unsubscribe?token=7f3a91

--
You decide which of our emails reach you.
Email settings: https://eve.example/settings/emails
hello@app.example.com
Eve, 1 Example Street, Oslo
`);
});

it('a name and links that are not known → no gap, and the app itself', () => {
  const data = renderer.checkData(weeklyFocus, { topic: 'Rest', tips: [], actions: [] });
  const { text, html } = renderer.render({ type: weeklyFocus, lang: 'en', data });
  expect(text).toMatch(
    /^Hello,\n\nA new week begins\. Its focus is: Rest\.\n\nOpen my week:\nhttps:\/\/eve\.example\n\nWarmly, Eve\n\n--\n/,
  );
  expect(html).toContain('<a class="label" href="https://eve.example"');
});

describe('a streak', () => {
  it.each([
    ['en', 0, 'Today would be a good day to begin.'],
    ['en', 1, 'Yesterday you began; today would be the second day.'],
    ['en', 1200, 'You have done so for 1,200 days in a row.'],
    ['de', 1, 'Gestern hast du angefangen; heute wäre der zweite Tag.'],
    ['de', 1200, 'Bisher waren es 1.200 Tage in Folge.'],
    ['ko', 1, '어제 시작하셨으니 오늘이면 이틀째예요.'],
    ['ko', 1200, '지금까지 1,200일 연속으로 체크인하셨어요.'],
  ])('in %s of %i days → %s', (lang, streakDays, said) => {
    expect(show(checkinReminder, lang, { streakDays }).text).toContain(said);
  });
});

it.each([
  ['en', 'Europe/Berlin', 'Friday, June 14, 2030 at 1:30 AM GMT+2'],
  ['en-GB', 'Europe/London', '14 June 2030 at 00:30 BST'],
  ['de', 'America/New_York', 'Donnerstag, 13. Juni 2030, 19:30 GMT-4'],
  ['ko', 'Asia/Seoul', '2030년 6월 14일 금요일 오전 8:30 GMT+9'],
])('a moment in %s, %s → %s', (lang, timeZone, said) => {
  const { text } = show(deletionScheduled, lang, { deletionAt: '2030-06-13T23:30:00Z', timeZone });
  expect(text.replaceAll('\u202f', ' ')).toContain(said);
});

it('hostile data → shown, never run', () => {
  const name = '<img src=x onerror=alert(1)>{{app.url}}';
  const { html, text } = show(passwordReset, 'en', { name });
  expect(html).toContain('Hello &lt;img src=x onerror=alert(1)&gt;{{app.url}},');
  expect(html).not.toContain('<img');
  expect(text).toContain(`Hello ${name},`);
});

it('German in the portals that say du → no Sie; in the others → no du', () => {
  const familiar = /\b(?:du|dich|dir|dein\w*)\b/i;
  const formal = /\b(?:Sie|Ihr|Ihre[mnrs]?|Ihnen)\b/;
  const texts = [...files.texts('de')];
  const wrong = texts.filter(([key, text]) => {
    const [of] = key.split('.');
    const portal = catalogue.find(({ type }) => type === of)?.portal ?? of!;
    return (['app', 'rss'].includes(portal) ? formal : familiar).test(text);
  });
  expect(texts.length).toBeGreaterThan(100);
  expect(wrong).toEqual([]);
});

it('the same matter in two portals → other words, brand and footer', () => {
  const forgot = catalogue.filter(({ type }) => type.endsWith('_forgot_password'));
  const said = forgot.map((type) => show(type, 'en'));
  expect(said).toHaveLength(3);
  for (const part of ['subject', 'text'] as const)
    expect(new Set(said.map((content) => content[part])).size).toBe(3);
  const footers = catalogue.map((type) => show(type, 'en').text.split('\n--\n')[1]);
  expect(new Set(footers).size).toBe(6);
});

describe('right to left', () => {
  const arabic = new Map(
    Object.entries({
      'app.greeting': 'مرحبا {name}،',
      'app.signoff': 'مع أطيب التحيات، {service}',
      'app.footer': 'أنت تقرر أي رسائلنا تصلك.',
      'app.settings': 'إعدادات البريد',
      'app.unsubscribe': 'إيقاف هذه الرسائل',
      'weekly_focus.subject': 'تركيز هذا الأسبوع: {topic}',
      'weekly_focus.preheader': 'بعض الأفكار للأيام القادمة.',
      'weekly_focus.intro': 'يبدأ أسبوع جديد. موضوعه: {topic}.',
      'weekly_focus.tips': 'ما قد يساعدك:',
      'weekly_focus.actions': 'ما يمكنك فعله:',
      'weekly_focus.action': 'افتح أسبوعي',
    }),
  );
  const inArabic = createRenderer({
    files: {
      ...files,
      languages: () => [...files.languages(), 'ar'],
      texts: (language) => (language === 'ar' ? arabic : files.texts(language)),
    },
    appUrl: null,
  });

  it.each(catalogue.map((type) => [type.type, type] as const))(
    '%s in an Arabic locale → direction, alignment and indents are mirrored',
    (_, type) => {
      const { html } = inArabic.render({ type, lang: 'ar', data: inArabic.checkData(type, type.sample) });
      expect(html).toContain('<html lang="ar" dir="rtl">');
      const card = html.slice(html.indexOf('<td class="card'));
      expect(card).toMatch(/^<td class="card ink" align="right"/);
      expect(html).not.toMatch(/align="left"|text-align:left|(?:padding|border)-left:(?!22px!)/);
    },
  );

  it('an Arabic text → its words, and codes still from left to right', () => {
    const { subject, html, text } = inArabic.render({
      type: weeklyFocus,
      lang: 'ar',
      data: weeklyFocus.sample,
    });
    expect(subject).toBe('تركيز هذا الأسبوع: Listening');
    expect(html).toContain('padding-right:22px');
    expect(text).toMatch(/^مرحبا Ada،\n\nيبدأ أسبوع جديد/);
    const tfa = catalogue.find(({ type }) => type === 'admin_tfa')!;
    expect(inArabic.render({ type: tfa, lang: 'ar', data: tfa.sample }).html).toMatch(
      /dir="ltr"[^>]*>482915</,
    );
  });
});
