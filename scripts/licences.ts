// Fails when a package that ships with Sluice is not under a permissive licence (Elastic-2.0, for one, is not).
import { existsSync, readFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const readJson = (path: string) => JSON.parse(readFileSync(new URL(path, root), 'utf8'));

const permissive = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
  'Python-2.0',
  'CC-BY-4.0',
  'Zlib',
  // Of fonts: they may be bundled and served, and not sold by themselves.
  'OFL-1.1',
]);

/** Packages that ship under what they state here, whatever it is. */
const exceptions = new Map([
  // The obligations of this licence are for whoever changes its files, and nobody here does.
  ['pyodide', 'MPL-2.0'],
  // The same; it is a part of Vite, and runs only while the console is built.
  ['lightningcss', 'MPL-2.0'],
  // Its licence file is that of BSD-2-Clause.
  ['duck', 'BSD'],
]);

/** Understands `MIT`, `MIT AND ISC` and `(MIT OR GPL-3.0)`; a mixture of AND and OR needs every part permissive. */
function isPermissive(expression: string): boolean {
  const licences = expression.replace(/[()]/g, '').split(/\s+(?:AND|OR)\s+/);
  const isChoice = /\sOR\s/.test(expression) && !/\sAND\s/.test(expression);
  const isFine = (licence: string) => permissive.has(licence.trim());
  return isChoice ? licences.some(isFine) : licences.every(isFine);
}

type Manifest = { license?: string | { type?: string }; licenses?: { type?: string }[] };

function licenceOf({ license, licenses }: Manifest): string {
  if (typeof license === 'string') return license;
  return license?.type ?? licenses?.map(({ type }) => type).join(' OR ') ?? 'none stated';
}

/** `node_modules/lightningcss-linux-x64-gnu` is `lightningcss` for one platform. */
const packageOf = (path: string) =>
  path
    .slice('node_modules/'.length)
    .replace(/^(lightningcss)-(?:android|darwin|freebsd|linux|win32)-.*/, '$1');

const { packages } = readJson('package-lock.json') as {
  packages: Record<string, Manifest & { dev?: boolean; link?: boolean }>;
};
const shipped = Object.entries(packages).filter(([path, { dev, link }]) => path !== '' && !dev && !link);

// A package for another platform is in the lock file but not on the disk.
const refused = shipped.flatMap(([path, locked]) => {
  const manifest = `${path}/package.json`;
  const licence = licenceOf(existsSync(new URL(manifest, root)) ? readJson(manifest) : locked);
  const isExcepted = exceptions.get(packageOf(path)) === licence;
  return isExcepted || isPermissive(licence) ? [] : [`${path}: ${licence}`];
});

if (refused.length > 0) {
  console.error(`Not under a permissive licence:\n${refused.join('\n')}`);
  process.exitCode = 1;
} else {
  console.log(
    `${shipped.length} packages, all under permissive licences but ${[...exceptions.keys()].join(' and ')}.`,
  );
}
