import { describe, expect, it } from 'vitest';
import { readSources } from './source-file.js';
import { checkVendors } from './vendor-rules.js';

describe('vendors', () => {
  it('the sources → each package is imported by one folder', () => {
    expect(checkVendors(readSources())).toEqual([]);
  });

  it.each([
    ['pg', 'outbox/x.ts'],
    ['@electric-sql/pglite/worker', 'app.ts'],
    ['hono/body-limit', 'doors/cli/x.ts'],
    ['smtp-server', 'providers/smtp/x.ts'],
    ['commander', 'doors/http/x.ts'],
    ['nodemailer/lib/mail-composer/index.js', 'doors/http/x.ts'],
    ['pino', 'pipeline/x.ts'],
  ])('%s in %s → refused', (name, path) => {
    expect(checkVendors([{ path, text: `import x from '${name}';` }])).toHaveLength(1);
  });

  it('a package without a fixed place in two rooms → refused; in two files of one room → allowed', () => {
    const text = "import { Registry } from 'prom-client';";
    expect(
      checkVendors([
        { path: 'views/a.ts', text },
        { path: 'pipeline/b.ts', text },
      ]),
    ).toEqual(['prom-client: imported by views, pipeline; one folder only']);
    expect(
      checkVendors([
        { path: 'views/a.ts', text },
        { path: 'views/b.ts', text },
      ]),
    ).toEqual([]);
  });

  it('a test uses a vendor as its counterpart → allowed', () => {
    const text = "import { SMTPServer } from 'smtp-server';";
    expect(checkVendors([{ path: 'providers/smtp/x.test.ts', text }])).toEqual([]);
  });
});
