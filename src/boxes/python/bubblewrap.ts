import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { BoxCommand } from '../box.ts';

const MEGABYTE = 1024 * 1024;
/** Bytes of files that a box may hold in memory, in each of its folders. */
const FOLDER_BYTES = 256 * MEGABYTE;
/** Handed over as an argument: the user of the box need not be able to read the folder of the gateway. */
const program = readFileSync(new URL('../programs/native/cell.py', import.meta.url), 'utf8');
/** The user `nobody` of Linux. */
const NOBODY = 65534;
const TRIAL_MS = 10_000;

const folder = (path: string, bytes = FOLDER_BYTES) => ['--size', String(bytes), '--tmpfs', path];
const ifThere = (path: string) => ['--ro-bind-try', path, path];

/**
 * What a box of this machine's own Python sees: its libraries for reading, empty folders in memory, and nothing else. It has no
 * network, no other processes, no rights, and ends with its parent.
 */
const confinement = [
  ...[
    '--unshare-user',
    '--unshare-ipc',
    '--unshare-pid',
    '--unshare-net',
    '--unshare-uts',
    '--unshare-cgroup-try',
  ],
  ...[
    '--disable-userns',
    '--uid',
    `${NOBODY}`,
    '--gid',
    `${NOBODY}`,
    '--cap-drop',
    'ALL',
    '--hostname',
    'box',
  ],
  ...['--die-with-parent', '--new-session', '--clearenv'],
  ...['--ro-bind', '/usr', '/usr', ...['/bin', '/lib', '/lib64', '/sbin'].flatMap(ifThere)],
  ...['/etc/alternatives', '/etc/ld.so.cache', '/etc/fonts', '/etc/localtime'].flatMap(ifThere),
  ...['--proc', '/proc', '--remount-ro', '/proc'],
  ...['--dev', '/dev', ...folder('/dev/shm', MEGABYTE), '--remount-ro', '/dev'],
  ...[...folder('/tmp'), ...folder('/mnt/data'), '--remount-ro', '/', '--chdir', '/mnt/data'],
  ...Object.entries({
    PATH: '/usr/bin:/bin',
    HOME: '/tmp',
    LANG: 'C.UTF-8',
    MPLBACKEND: 'Agg',
    OPENBLAS_NUM_THREADS: '1',
  }).flatMap(([name, value]) => ['--setenv', name, value]),
];

const bubblewrapped = (python: string, ...rest: string[]) => [
  ...confinement,
  '--',
  python,
  '-I',
  '-B',
  ...rest,
];

export const nativeCommand = (python: string): BoxCommand => ({
  file: 'bwrap',
  args: bubblewrapped(python, '-c', program),
  cwd: '/',
  env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  // Files of the kernel in /proc/sys belong to root, whatever name root has in a box.
  ...(process.getuid?.() === 0 && { uid: NOBODY, gid: NOBODY }),
  hasChildren: true,
});

/** Why this machine has no such boxes; null where it has. It tries one. */
export function nativeUnavailable(python: string): string | null {
  const { file, cwd, env, uid, gid } = nativeCommand(python);
  const tried = spawnSync(file, bubblewrapped(python, '-c', 'pass'), {
    ...{ cwd, env, uid, gid },
    timeout: TRIAL_MS,
    encoding: 'utf8',
  });
  if (tried.status === 0) return null;
  const reason = tried.error ? tried.error.message : tried.stderr.trim().slice(0, 300);
  return `Code cannot be run by ${python} in bubblewrap on this machine: ${reason || `it ended with ${tried.status}`}.`;
}
