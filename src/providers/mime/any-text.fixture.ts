import fc from 'fast-check';

/** Text in many scripts for property tests of messages. */
export const SCRIPTS = [
  'Grüße aus Köln',
  'Καλημέρα κόσμε',
  'Добро пожаловать',
  'ברוך הבא',
  'مرحبا بالعالم',
  'नमस्ते दुनिया',
  '안녕하세요 여러분',
  'ようこそ、世界',
  '验证码：482913',
  'ยินดีต้อนรับ',
  'Chào mừng bạn',
  '🎉👩‍👩‍👧‍👦 party',
  'naïve “quotes” – and… more',
  '=?UTF-8?Q?not_encoded?=',
  '"quoted" \\ back, <angle>; comma',
  'two  spaces',
  'a'.repeat(150),
];

/** Visible text in many scripts, without control characters. */
export const visibleText = fc
  .oneof(
    { weight: 3, arbitrary: fc.constantFrom(...SCRIPTS) },
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 150 }),
    fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 150 }),
    fc.array(fc.constantFrom(...SCRIPTS), { minLength: 2, maxLength: 5 }).map((all) => all.join(' ')),
  )
  // Readers trim what stands at the ends, and fold exotic spaces in their own ways.
  .map((text) => text.replace(/[\x00-\x1f\x7f-\x9f\p{Z}]/gu, ' ').trim())
  .filter((text) => text !== '');

/** A body of several lines, with what tends to break on the way. */
export const bodyText = fc
  .array(
    fc.oneof(visibleText, fc.constantFrom('', '.', '..', 'From here', 'x'.repeat(1200), 'tab\there ', '--')),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((lines) => ['Hello', ...lines].join('\n'));
