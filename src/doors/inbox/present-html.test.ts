import { describe, expect, test } from 'vitest';
import { presentHtml, streamHtml } from './present-html.js';

const image = (contentId: string, size: number) => ({
  ...{ filename: null, contentType: 'image/png', contentId },
  content: new Uint8Array(size),
});
const shown = (html: string, ...attachments: ReturnType<typeof image>[]) =>
  presentHtml({ html, attachments });

describe('inline images', () => {
  test('a message and an image of several chunks → streamed as it is presented, no character cut in two', async () => {
    const html = `<p>${'😀'.repeat(200_001)}</p><img src="cid:a"><p>😀${'ü'.repeat(300_000)}</p>`;
    const message = { html, attachments: [image('a', 300_000)] };
    expect(await new Response(streamHtml(message)).text()).toBe(presentHtml(message));
    expect(await new Response(streamHtml({ html: null, attachments: [] })).text()).toBe(
      '<!doctype html><base target="_blank">',
    );
  });

  test('an image named by its content id, escaped or not → its data in place of the reference', () => {
    const html = shown('<img src="cid:logo"><img src=cid:a%40b>', image('logo', 3), image('a@b', 3));
    expect(html).toContain('<img src="data:image/png;base64,AAAA"><img src=data:image/png;base64,AAAA>');
  });

  test('a name nobody has, malformed or not → left as it is', () => {
    expect(shown('<img src="cid:%"><img src="cid:%ff">', image('logo', 3))).toContain(
      '<img src="cid:%"><img src="cid:%ff">',
    );
  });

  test('80,000 references to one image of 4 KB → no more than 1 MB of it', () => {
    const html = '<img src="cid:a ">'.repeat(80_000);
    const answer = shown(html, image('a', 4096));
    expect(answer.length).toBeLessThan(html.length + 1024 ** 2 + 8192);
    expect(answer).toContain('data:image/png;base64,AAAA');
    expect(answer).toContain('"cid:a "');
  });

  test('an image larger than what may be repeated → shown where it stands first', () => {
    const answer = shown('<img src="cid:a"><img src="cid:a">', image('a', 1024 ** 2));
    expect(answer.match(/data:image/g)).toHaveLength(1);
  });
});

describe('links', () => {
  test('a head → the base in it; a doctype alone → after it; neither → a doctype before it', () => {
    expect(shown('<!doctype html><html><head><title>x</title></head>')).toBe(
      '<!doctype html><html><head><base target="_blank"><title>x</title></head>',
    );
    expect(shown(' <!DOCTYPE html><p>x')).toBe(' <!DOCTYPE html><base target="_blank"><p>x');
    expect(shown('<p>x')).toBe('<!doctype html><base target="_blank"><p>x');
  });
});

describe('512 KB of markup that repeats → presented in linear time', () => {
  test.each(['<head+', '<head ', '<!--', '<head a="', '<style>', 'cid:%ff ', 'cid:', '<!doctype '])(
    '%s',
    (piece) => {
      const html = piece.repeat((512 * 1024) / piece.length);
      const begun = process.cpuUsage();
      shown(html, image('a', 10));
      const { user, system } = process.cpuUsage(begun);
      // About 20 ms where nothing else runs; what is not linear takes seconds.
      expect((user + system) / 1000).toBeLessThan(500);
    },
  );
});
