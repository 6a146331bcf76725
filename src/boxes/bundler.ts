import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Puts the programs of boxes and their libraries into the folder that is named as the one argument. */
const sources = join(import.meta.dirname, 'programs');

await build({
  entryPoints: {
    supervisor: join(sources, 'supervisor.ts'),
    extract: join(sources, 'extract/index.ts'),
    python: join(sources, 'python/index.ts'),
  },
  outdir: process.argv[2],
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  outExtension: { '.js': '.mjs' },
  logLevel: 'error',
  legalComments: 'inline',
  // Modules of older libraries call `require` for those of Node.js.
  banner: {
    js: "import { createRequire as createRequireOfNode } from 'node:module';\nconst require = createRequireOfNode(import.meta.url);",
  },
  alias: Object.fromEntries(
    builtinModules
      .filter((name) => !name.startsWith('node:') && !name.startsWith('_'))
      .map((name) => [name, `node:${name}`]),
  ),
});
