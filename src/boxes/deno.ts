import type { BoxCommand } from './box.ts';

type DenoProgram = {
  /** The path of Deno. */
  deno: string;
  /** The folder of the programs, made by `bundlePrograms`. */
  programs: string;
  program: string;
  /** What the program may read beside its own folder. */
  readable: string[];
  /** Where Deno keeps what it has compiled. */
  cache: string;
};

// Older libraries reach prototypes by `__proto__`, which Deno leaves out by itself; it is no part of its permissions.
const language = ['--unsafe-proto'];
const flags = [
  '--no-config',
  '--no-lock',
  '--no-remote',
  '--no-npm',
  '--cached-only',
  '--no-prompt',
  '--quiet',
];

/** A process without any permission but that of reading its program. */
export const denoCommand = ({ deno, programs, program, readable, cache }: DenoProgram): BoxCommand => ({
  file: deno,
  args: [
    ...['run', ...language, ...flags, `--allow-read=${[programs, ...readable].join(',')}`],
    ...[`${programs}/supervisor.mjs`, program],
  ],
  cwd: programs,
  env: { DENO_DIR: cache, DENO_NO_UPDATE_CHECK: '1' },
  hasChildren: false,
});
