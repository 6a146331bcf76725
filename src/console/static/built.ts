import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { markOf } from './mark.ts';
import { unlessMissing } from './unless-missing.ts';

const INDEX = 'index.html';

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

/**
 * The build that lies in a folder, whenever it is asked for; null while there is none. It is read once, and again when another one
 * has taken its place: the console may be built while the gateway runs. While that changes folders, the build before stays.
 */
export function lookAtBuilt(folder: string): () => Promise<BuiltConsole | null> {
  let whole: BuiltConsole | null = null;
  let looking: { mark: string; found: Promise<BuiltConsole | null> } | null = null;
  return async () => {
    const index = await stat(join(folder, INDEX)).catch(unlessMissing);
    if (index === null) return whole;
    const mark = markOf(index);
    if (looking?.mark !== mark) looking = { mark, found: readBuilt(folder).catch(unlessMissing) };
    const { found } = looking;
    const built = await found;
    if (built !== null) whole = built;
    else if (looking?.found === found) looking = null;
    return whole;
  };
}

/** Files of other types than the pages load are left out. */
async function readBuilt(folder: string): Promise<BuiltConsole> {
  const index = await readFile(join(folder, INDEX), 'utf8');
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
