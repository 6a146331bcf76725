// Builds the console into `console/dist`, when its sources are others than those of the build that lies there. Runs before
// `npm start`: a build that fails says so and stops nothing, because the gateway works without its console. A gateway that runs
// meanwhile has the build before until the next one is whole.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runtime } from './setup.mjs';

const folder = join(root, 'console');
const dist = join(folder, 'dist');
const stamp = join(dist, '.stamp');
/** Builds at the same time have a folder each. */
const next = join(folder, `dist.${process.pid}`);
const isStart = process.env.npm_lifecycle_event === 'prestart';

/** Every file that the build is made from, from the root of the checkout. */
function sources() {
  const left = new Set(['node_modules', 'documents.ts', 'documents.json']);
  const below = (path) =>
    readdirSync(join(root, path), { withFileTypes: true })
      .filter(({ name }) => !left.has(name) && !/^dist(\.|$)/.test(name))
      .flatMap((entry) => (entry.isDirectory() ? below(join(path, entry.name)) : [join(path, entry.name)]));
  return [...below('console'), 'package-lock.json'].sort();
}

function hashOfSources() {
  const hash = createHash('sha256');
  for (const path of sources())
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  return hash.digest('hex');
}

const built = () => (existsSync(stamp) ? readFileSync(stamp, 'utf8') : null);

/** What the build printed is only worth reading when it failed. */
function run(args) {
  const { status, stdout, stderr } = spawnSync(runtime, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return status === 0 ? null : `${stdout || ''}${stderr || ''}`;
}

function build() {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const codegen = join(root, 'node_modules', '@graphql-codegen', 'core');
  if (!existsSync(vite) || !existsSync(codegen)) return 'The packages that build it are not installed.';
  return (
    run(['--disable-warning=ExperimentalWarning', 'scripts/codegen.ts']) ??
    run([
      ...[vite, 'build', 'console', '--config', join(folder, 'vite.config.ts'), '--logLevel', 'warn'],
      ...['--outDir', next],
    ])
  );
}

/** Puts the new build in the place of the one before; says what is in the way. */
function takeOver(hash) {
  const before = `${next}.before`;
  try {
    writeFileSync(join(next, '.stamp'), hash);
    if (existsSync(dist)) renameSync(dist, before);
    renameSync(next, dist);
    return null;
  } catch (error) {
    return error.message;
  } finally {
    rmSync(before, { recursive: true, force: true });
  }
}

const hash = process.env.CONSOLE === 'off' && isStart ? null : hashOfSources();
if (hash !== null && built() !== hash) {
  process.stderr.write('Building the console ...\n');
  const failure = build() ?? takeOver(hash);
  if (failure !== null) {
    rmSync(next, { recursive: true, force: true });
    process.stderr.write(`${failure}\nThe console was not built; \`npm run console:build\` tries again.\n`);
    if (!isStart) process.exitCode = 1;
  }
}
