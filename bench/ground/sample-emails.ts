import type { EmailInput } from '../../src/index.js';

/**
 * Realistic emails of about 5 KB, HTML and text together: the frame repeats as a template's does, the
 * sentences do not. The same seed gives the same emails.
 */
export function sampleEmails(count: number, options: { seed?: number; tenants?: number } = {}): EmailInput[] {
  const random = mulberry(options.seed ?? 1);
  const words = inventWords(1500, random);
  return Array.from({ length: count }, (_, index) => {
    const paragraphs = Array.from({ length: 6 }, () => sentences(words, random));
    const name = capital(pick(words, random));
    const code = Math.floor(random() * 0xffffffffff).toString(36);
    return {
      to: `${pick(words, random)}.${pick(words, random)}${index}@example.com`,
      subject: capital(sentence(words, random, 5)),
      html: asHtml(name, paragraphs, code),
      text: asText(name, paragraphs, code),
      type: 'newsletter',
      companyId: `company-${index % (options.tenants ?? 50)}`,
      userId: `user-${index}`,
      metadata: { campaign: pick(words, random) },
    };
  });
}

/** One email whose HTML is just under the given size; the text is a tenth of it. */
export function largeEmail(bytes: number): EmailInput {
  const random = mulberry(7);
  const words = inventWords(3000, random);
  const paragraphs: string[] = [];
  for (let size = 0; size < bytes - 8000; size += paragraphs.at(-1)!.length + 60) {
    paragraphs.push(sentences(words, random));
  }
  return {
    to: 'large@example.com',
    subject: 'A large one',
    html: asHtml('Reader', paragraphs, 'large'),
    text: asText('Reader', paragraphs.slice(0, paragraphs.length / 10), 'large'),
  };
}

function asHtml(name: string, paragraphs: string[], code: string): string {
  const body = paragraphs.map((text) => `<p style="margin:0 0 16px;line-height:1.5">${text}</p>`).join('\n');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${name}</title></head>
<body style="margin:0;background:#f4f5f7;font-family:Helvetica,Arial,sans-serif;color:#22303c">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="600" style="background:#ffffff;border-radius:8px"><tr><td style="padding:32px">
<h1 style="font-size:22px;margin:0 0 24px">Hello ${name}</h1>
${body}
<p style="margin:24px 0"><a href="https://app.example.com/focus/${code}" style="background:#2f6f8f;color:#ffffff;padding:12px 20px;border-radius:6px;text-decoration:none">Open your week</a></p>
</td></tr></table>
<p style="font-size:12px;color:#7b8794">You get this because you have an account. <a href="https://app.example.com/preferences/${code}">Preferences</a></p>
</td></tr></table>
</body></html>`;
}

function asText(name: string, paragraphs: string[], code: string): string {
  return `Hello ${name}\n\n${paragraphs.join('\n\n')}\n\nOpen your week: https://app.example.com/focus/${code}\n`;
}

function sentences(words: string[], random: () => number): string {
  return Array.from({ length: 4 }, () => `${capital(sentence(words, random, 10))}.`).join(' ');
}

function sentence(words: string[], random: () => number, length: number): string {
  return Array.from({ length }, () => pick(words, random)).join(' ');
}

function inventWords(count: number, random: () => number): string[] {
  const heads = ['b', 'd', 'f', 'gr', 'h', 'k', 'l', 'm', 'n', 'p', 'r', 's', 'st', 't', 'tr', 'v', 'w'];
  const hearts = ['a', 'e', 'i', 'o', 'u', 'ea', 'ou', 'ai'];
  const tails = ['', 'n', 'r', 's', 'l', 't', 'nd', 'rk', 'st'];
  const syllable = () => pick(heads, random) + pick(hearts, random) + pick(tails, random);
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, syllable).join(''),
  );
}

function pick<T>(list: T[], random: () => number): T {
  // Squared: some words are common, most are rare, as in a language.
  return list[Math.floor(random() ** 2 * list.length)]!;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A small generator with a seed. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
