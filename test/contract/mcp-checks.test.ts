import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { acceptanceChecks } from '../mcp/checks.ts';

const root = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

it('every check of the MCP gateway has a test', () => {
  const numbers = Array.from({ length: 40 }, (_none, at) => at + 1);
  const without = numbers.filter((number) => (acceptanceChecks[number]?.proofs.length ?? 0) === 0);
  expect(without).toEqual([]);
  expect(Object.keys(acceptanceChecks)).toHaveLength(numbers.length);
});

it('every test that proves a check is there', () => {
  const missing = Object.entries(acceptanceChecks).flatMap(([number, { proofs }]) =>
    proofs.filter((proof) => !isThere(proof)).map((proof) => `${number}: ${JSON.stringify(proof)}`),
  );
  expect(missing).toEqual([]);
});

type Proof = (typeof acceptanceChecks)[number]['proofs'][number];

function isThere(proof: Proof): boolean {
  if ('script' in proof) return typeof scripts[proof.script] === 'string';
  const [file, name] = proof;
  const path = join(root, 'test', file);
  if (!existsSync(path)) return false;
  const text = readFileSync(path, 'utf8');
  return ["'", '"', '`'].some((quote) => text.includes(`${quote}${name}${quote}`));
}
