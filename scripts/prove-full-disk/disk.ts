import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Whether this process may mount; where it may not, the program runs once more in a namespace in which it may, and the answer
 * is that run's exit code.
 */
export function ensureMountable(): number | null {
  if (process.getuid?.() === 0) return null;
  if (process.env.SLUICE_IN_NAMESPACE) return null;
  const { status, error } = spawnSync(
    'unshare',
    ['--user', '--map-root-user', '--mount', process.execPath, ...process.execArgv, ...process.argv.slice(1)],
    { stdio: 'inherit', env: { ...process.env, SLUICE_IN_NAMESPACE: '1' } },
  );
  if (status === null) console.error(`Only root, or a user with unshare, can mount a small disk: ${error}`);
  return status ?? 1;
}

/** A file system of its own in memory, at an existing directory. */
export function mountDisk(directory: string, megabytes: number) {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', directory]);
  const filler = join(directory, 'filler');
  return {
    /** Not a byte is left. */
    fill() {
      const file = openSync(filler, 'a');
      for (let size = 1024 * 1024; size > 0; ) {
        try {
          if (writeSync(file, Buffer.alloc(size)) < size) size >>= 1;
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          size >>= 1;
        }
      }
      closeSync(file);
    },
    free: () => rmSync(filler, { force: true }),
    unmount: () => execFileSync('umount', ['--lazy', directory]),
  };
}
