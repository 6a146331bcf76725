import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Deno for this platform, or the sentence that says why there is none. */
export type BoxRuntime = { deno: string } | { unavailable: string };

const packages: Record<string, string> = {
  'linux-x64': '@deno/linux-x64-glibc',
  'linux-arm64': '@deno/linux-arm64-glibc',
};

/** Where npm has put Deno. It installs it for Linux with the GNU C library alone. */
export function findBoxRuntime(platform = `${process.platform}-${process.arch}`): BoxRuntime {
  const name = packages[platform];
  if (name === undefined) {
    return {
      unavailable: `Files are read and code is run on Linux (x64 or arm64) alone; this is ${platform}.`,
    };
  }
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    return { deno: join(dirname(manifest), 'deno') };
  } catch {
    return {
      unavailable: `Files cannot be read and code cannot be run here: the optional package ${name} is not installed.`,
    };
  }
}
