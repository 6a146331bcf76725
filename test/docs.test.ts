import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { settingNames } from '../src/settings/index.ts';

const root = join(import.meta.dirname, '..');
const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
const scripts = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts;

it.each(pages)('docs/%s names settings and commands that there are', (name) => {
  const text = readFileSync(join(root, 'docs', name), 'utf8');
  const settings = [...text.matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g)].map(
    ([, found]) => found,
  );
  expect(settings.filter((found) => !settingNames.includes(found ?? ''))).toEqual([]);
  const commands = [...text.matchAll(/`npm run ([\w:-]+)/g)].map(([, found]) => found ?? '');
  expect(commands.filter((found) => !(found in scripts))).toEqual([]);
});
