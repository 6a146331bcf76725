import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

let root: string;
const at = (...path: string[]) => join(root, ...path);

/** Stands in for npm: writes down how it was called, and puts down what the real one would. */
const npm = `
const { mkdirSync, writeFileSync } = require('node:fs');
writeFileSync('npm.json', JSON.stringify({ args: process.argv.slice(2), nodeEnv: process.env.NODE_ENV }));
const names = process.argv.includes('--omit=dev') ? ['serving'] : ['serving', 'testing'];
for (const name of names) {
  mkdirSync('node_modules/' + name, { recursive: true });
  writeFileSync('node_modules/' + name + '/package.json', '{}');
}
writeFileSync('node_modules/.package-lock.json', '{}');
`;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-setup-'));
  mkdirSync(at('scripts'));
  cpSync('scripts/setup.mjs', at('scripts', 'setup.mjs'));
  writeFileSync(at('npm.cjs'), npm);
  writeFileSync(at('package-lock.json'), '{}');
  writeFileSync(
    at('package.json'),
    JSON.stringify({ dependencies: { serving: '1' }, devDependencies: { testing: '1' } }),
  );
  utimesSync(at('package-lock.json'), 0, 0);
  mkdirSync(at('console', 'dist'), { recursive: true });
  writeFileSync(at('console', 'dist', '.stamp'), '');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** What npm was asked to install before a script ran; null when it was not asked. */
function installedBefore(script: string, nodeEnv = ''): string[] | null {
  rmSync(at('npm.json'), { force: true });
  const env = {
    ...process.env,
    npm_execpath: at('npm.cjs'),
    npm_lifecycle_event: script === 'start' ? 'prestart' : script,
    NODE_ENV: nodeEnv,
  };
  const { status, stderr } = spawnSync(process.execPath, [at('scripts', 'setup.mjs')], {
    env,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  try {
    const { args } = JSON.parse(readFileSync(at('npm.json'), 'utf8'));
    return args.filter((name: string) => name === 'ci' || name.startsWith('--omit'));
  } catch {
    // There is no such file: npm was not asked.
    return null;
  }
}

test('a start in production leaves development packages out, and a test brings them', () => {
  expect(installedBefore('start', 'production')).toEqual(['ci', '--omit=dev']);
  expect(installedBefore('start', 'production')).toBeNull();
  expect(installedBefore('test', 'production')).toEqual(['ci']);
  expect(installedBefore('test')).toBeNull();
});

test('a start in production brings what builds the console, where that did not come with it', () => {
  rmSync(at('console'), { recursive: true });
  expect(installedBefore('start', 'production')).toEqual(['ci']);
});

test('operating a service never takes the packages of the running one away', () => {
  installedBefore('start', 'production');
  for (const script of ['start', 'backup', 'audit:verify', 'rotate:signing-key', 'console:link']) {
    expect(installedBefore(script)).toBeNull();
  }
});

test('a start elsewhere installs everything, and anew when the lock is newer', () => {
  expect(installedBefore('start')).toEqual(['ci']);
  expect(installedBefore('check')).toBeNull();
  utimesSync(at('package-lock.json'), new Date(), new Date(Date.now() + 60_000));
  expect(installedBefore('backup')).toEqual(['ci']);
});
