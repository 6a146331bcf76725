import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';

/** A file of the built console. */
export type StaticFile = {
  /** Where it lies. */
  path: string;
  contentType: string;
  etag: string;
  /** Whether its name holds the hash of its content, so that what lies there never changes. */
  isImmutable: boolean;
  /** Whether `<path>.br` holds the same, compressed. */
  hasBrotli: boolean;
};

export type BuiltConsole = {
  /** The page that loads everything else. */
  index: string;
  /** By the path below `/console/`. */
  files: ReadonlyMap<string, StaticFile>;
};

const contentTypes: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** What lies in a folder that Vite wrote; null while there is none. Files of other types are left out. */
export async function readBuilt(folder: string): Promise<BuiltConsole | null> {
  const index = await readFile(join(folder, 'index.html'), 'utf8').catch(unlessMissing);
  if (index === null) return null;
  const names = await readdir(folder, { recursive: true });
  const all = new Set(names.map((name) => name.split(sep).join('/')));
  const files = new Map<string, StaticFile>();
  for (const name of all) {
    const contentType = contentTypes[extname(name)];
    if (contentType === undefined) continue;
    const path = join(folder, name);
    const hash = createHash('sha256').update(await readFile(path));
    files.set(name, {
      path,
      contentType,
      etag: `"${hash.digest('base64url').slice(0, 22)}"`,
      isImmutable: name.startsWith('assets/'),
      hasBrotli: all.has(`${name}.br`),
    });
  }
  return { index, files };
}

function unlessMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
