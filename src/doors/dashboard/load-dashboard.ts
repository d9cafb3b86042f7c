/**
 * The built dashboard, read into memory once: every file with its compressed forms and a tag of its content. Nothing
 * of the file system is reachable through a path afterwards, because a path is only a key here.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface DashboardFile {
  body: Uint8Array<ArrayBuffer>;
  /** As the browser may take it instead; made by the build. */
  compressed: { br?: Uint8Array<ArrayBuffer>; gzip?: Uint8Array<ArrayBuffer> };
  contentType: string;
  etag: string;
}

export interface DashboardFiles {
  /** The one document, in which `NONCE` stands where the nonce of an answer goes. */
  document: string;
  /** By the path below `/dashboard/`. */
  assets: ReadonlyMap<string, DashboardFile>;
}

export const NONCE = '__NONCE__';

/** null where the dashboard was not built, as in a fresh clone. */
export function loadDashboard(folder = dashboardFolder()): DashboardFiles | null {
  if (folder === null || !existsSync(join(folder, 'index.html'))) return null;
  const assets = new Map<string, DashboardFile>();
  for (const name of readdirSync(join(folder, 'assets'))) {
    const contentType = CONTENT_TYPES[extname(name)];
    if (contentType === undefined) continue;
    const path = join(folder, 'assets', name);
    const body = read(path);
    assets.set(posix.join('assets', name), {
      body,
      compressed: {
        ...(existsSync(`${path}.br`) && { br: read(`${path}.br`) }),
        ...(existsSync(`${path}.gz`) && { gzip: read(`${path}.gz`) }),
      },
      contentType,
      etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`,
    });
  }
  return { document: readFileSync(join(folder, 'index.html'), 'utf8'), assets };
}

const CONTENT_TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

function read(path: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(path));
}

/** `dist/dashboard`, whether this runs from dist, from the sources or from where tests compile them to. */
function dashboardFolder(): string | null {
  for (const up of ['../../dashboard/', '../../../dist/dashboard/', '../../../../dist/dashboard/']) {
    const folder = fileURLToPath(new URL(up, import.meta.url));
    if (existsSync(join(folder, 'index.html')) && existsSync(join(folder, 'assets'))) return folder;
  }
  return null;
}
