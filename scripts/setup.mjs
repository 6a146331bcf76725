// Makes a fresh clone ready: installs the locked dependencies when they are missing or older than the lock file.
// Runs before `npm start`, and in scripts/run.mjs before every other script. The Node.js that runs it is whatever the machine
// has, so it uses nothing newer than Node.js 16.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lock = join(root, 'package-lock.json');
const installed = join(root, 'node_modules', '.package-lock.json');

const major = (version) => Number(version.replace(/^v/, '').split('.')[0]);

/** What an operator runs, on a machine that may have no use for development packages. */
const operating = [
  'prestart',
  'console:build',
  'backup',
  'audit:verify',
  'rotate:signing-key',
  'console:link',
  'sluice',
].includes(process.env.npm_lifecycle_event || '');

/** The console is built with development packages, unless it came with the release. */
const needsConsole = process.env.CONSOLE !== 'off' && !existsSync(join(root, 'console', 'dist', '.stamp'));

const isPackageInstalled = (name) => existsSync(join(root, 'node_modules', name, 'package.json'));

function hasDevelopmentPackages() {
  const { devDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.keys(devDependencies).every(isPackageInstalled);
}

function install() {
  const omit = operating && process.env.NODE_ENV === 'production' && !needsConsole ? ['--omit=dev'] : [];
  process.stderr.write(`Installing dependencies (${['npm ci', ...omit].join(' ')}) ...\n`);
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm]] : ['npm', []];
  const result = spawnSync(command, [...args, 'ci', ...omit, '--ignore-scripts', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    // What is left out is said above: for tests, development packages are needed whatever NODE_ENV says.
    env: { ...process.env, NODE_ENV: '' },
  });
  if (result.status !== 0) process.exit(result.status === null ? 1 : result.status);
}

const isCurrent = existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs;
// An installation takes everything away first, so a running service never gets one for packages that it does not need.
if (!isCurrent || !(operating || hasDevelopmentPackages())) install();

const bundled = join(root, 'node_modules', '.bin', 'node');
/** The Node.js to run this repository with: the locked one, where the platform has it. */
export const runtime = existsSync(bundled) ? bundled : process.execPath;
const version = spawnSync(runtime, ['--version'], { encoding: 'utf8' }).stdout || '';
if (major(version.trim()) < 24) {
  process.stderr.write(`Sluice needs Node.js 24 or newer; this is ${version.trim() || process.version}.\n`);
  process.exit(1);
}
