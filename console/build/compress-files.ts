import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { Plugin } from 'vite';

const compress = promisify(brotliCompress);

/** Smaller files gain less than the headers of an answer take. */
const MIN_BYTES = 1024;

/** Writes `<name>.br` beside each script and style, so that the gateway never compresses while it answers. */
export const compressFiles = (): Plugin => ({
  name: 'compress-files',
  apply: 'build',
  // Vite writes the addresses of other parts into a script after every plugin has seen it: the file alone is final.
  async writeBundle({ dir = '' }, bundle) {
    const names = Object.keys(bundle).filter((name) => /\.(js|css|svg)$/.test(name));
    await Promise.all(names.map((name) => compressFile(join(dir, name))));
  },
});

async function compressFile(path: string): Promise<void> {
  const source = await readFile(path);
  if (source.length < MIN_BYTES) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  await writeFile(`${path}.br`, await compress(source, { params }));
}
