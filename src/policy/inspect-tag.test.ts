import { describe, expect, test } from 'vitest';
import { findActiveContent } from './find-active-content.js';

const link = (href: string) => findActiveContent(`<a href="${href}">x</a>`);

describe('the scheme of a link', () => {
  test.each([
    'javascript:x',
    '--:javascript:x',
    " -'javascript:x",
    'view-source:javascript:x',
    'a:b:c:d:vbscript:x',
    'feed:-a:javascript:x',
  ])('%s → a finding', async (href) => {
    expect(await link(href)).toBe('contains a script URL');
  });

  test.each([
    'https://example.com/javascript:x',
    'sub-script:x',
    'a:b:c:d:e:javascript:x',
    'a::javascript:x',
    '?javascript:x',
    '1javascript:x',
    'script-x:y',
  ])('%s → none', async (href) => {
    expect(await link(href)).toBeNull();
  });

  test.each(['-', 'a', 'a-', ':', 'a:', '-:', ' ', '"', 'script'])(
    '512 KB of %s before a colon → judged in linear time',
    async (piece) => {
      const begun = process.cpuUsage();
      await link(`${piece.repeat((512 * 1024) / piece.length)}x:`);
      await link(`${piece.repeat((512 * 1024) / piece.length)}:">x</a><set x="`);
      const { user, system } = process.cpuUsage(begun);
      // About 30 ms where nothing else runs; what is not linear takes minutes.
      expect((user + system) / 1000).toBeLessThan(1000);
    },
  );
});
