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
  enforce: 'post',
  async generateBundle(_options, bundle) {
    await Promise.all(
      Object.values(bundle).map(async (output) => {
        const source = output.type === 'chunk' ? output.code : output.source;
        if (!/\.(js|css|svg)$/.test(output.fileName) || source.length < MIN_BYTES) return;
        const compressed = await compress(source, {
          params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
        });
        this.emitFile({ type: 'asset', fileName: `${output.fileName}.br`, source: compressed });
      }),
    );
  },
});
