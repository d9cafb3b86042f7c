import { appendFile, writeFile } from 'node:fs/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { silentLogger } from '../../kernel/index.js';
import { ground } from './door-clients.fixture.js';
import { type Certificate, readCertificate, watchCertificate } from './tls-certificate.js';

afterEach(() => vi.useRealTimers());

test('a renewed certificate → used within a minute; an unusable one → the old one holds', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { certificate: files } = await ground();
  const seen: Certificate[] = [];
  const warnings: string[] = [];
  const first = await readCertificate(files);
  const stop = watchCertificate(files, first, {
    onChange: (renewed) => seen.push(renewed),
    logger: { ...silentLogger, warn: (_fields, message) => warnings.push(String(message)) },
  });
  await appendFile(files.certificateFile, '\n');
  vi.advanceTimersByTime(60_000);
  await vi.waitFor(() => expect(seen).toHaveLength(1));
  expect(seen[0]!.cert).toBe(`${first.cert}\n`);
  await writeFile(files.certificateFile, 'half a certi');
  vi.advanceTimersByTime(60_000);
  await vi.waitFor(() => expect(warnings).toEqual(['the renewed certificate is unusable']));
  expect(seen).toHaveLength(1);
  stop();
});
