import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Built by scripts/build-dashboard.mjs, which says where to. For work on it, `npm run dashboard` serves it with changes as they are made. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/dashboard/',
  plugins: [react()],
  build: {
    // Inlined files would need a policy that allows them.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
  },
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(
      ['/v1', '/admin', '/auth', '/dev', '/dashboard/frame'].map((path) => [path, 'http://127.0.0.1:3400']),
    ),
  },
});
