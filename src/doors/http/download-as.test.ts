import { expect, test } from 'vitest';
import { downloadAs } from './download-as.js';

test('quotes, brackets, stars, spaces, other scripts → only what a header parameter may hold, and the same name again', () => {
  const name = `it's "a" (1)*; ü.txt`;
  const [, written = ''] =
    /^attachment; filename\*=UTF-8''([A-Za-z0-9%!._~-]+)$/.exec(downloadAs(name)) ?? [];
  expect(decodeURIComponent(written)).toBe(name);
});
