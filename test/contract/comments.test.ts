import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folders = ['src', 'rest-compat', 'schema', 'test', 'scripts', 'bench', 'seeds', 'console/src'];

const comment = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*|"""[\s\S]*?"""|^\s*#.*/gm;

/** A text that is not in this repository; an RFC and a standard are for everybody to read. */
const citation =
  /\bspec\/[\w-]+|\b(?:service|data-plane)\.md\b|(?<!(?:RFC \d+|standard)[\s*,(]+)\bsections? \d[\d.]*/gi;

const sources = folders.flatMap((folder) =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.generated)\.(tsx?|mjs|graphql)$/.test(name))
    .map((name) => `${folder}/${name}`),
);

test('no comment cites a text that is not in the repository', () => {
  const cited = sources.flatMap((path) =>
    (readFileSync(root + path, 'utf8').match(comment) ?? []).flatMap((text) =>
      (text.match(citation) ?? []).map((found) => `${path}: ${found}`),
    ),
  );
  expect(cited).toEqual([]);
});
