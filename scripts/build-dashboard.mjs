/**
 * Builds the dashboard into dist/dashboard and lays a compressed form beside every file, so that serving it costs no
 * work per request. It takes its place only once it is whole.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
// Whatever starts this may call itself a test, and React would be built with everything it has for development.
process.env.NODE_ENV = 'production';
const outDir = join(root, `dist/dashboard.${process.pid}`);
const place = join(root, 'dist/dashboard');

try {
  await build({
    configFile: join(root, 'dashboard/vite.config.ts'),
    logLevel: 'warn',
    build: { outDir, emptyOutDir: true },
  });
  const assets = join(outDir, 'assets');
  for (const name of readdirSync(assets)) {
    const path = join(assets, name);
    const content = readFileSync(path);
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  }
  rmSync(place, { recursive: true, force: true });
  mkdirSync(join(root, 'dist'), { recursive: true });
  renameSync(outDir, place);
} finally {
  rmSync(outDir, { recursive: true, force: true });
}
