/**
 * Builds the dashboard into dist/dashboard and lays a compressed form beside every file, so that serving it costs no
 * work per request.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
await build({ configFile: join(root, 'dashboard/vite.config.ts'), logLevel: 'warn' });

const assets = join(root, 'dist/dashboard/assets');
for (const name of readdirSync(assets)) {
  const path = join(assets, name);
  const content = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}
