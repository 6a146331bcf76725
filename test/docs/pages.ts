import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

export type Page = {
  /** From the root of the repository, e.g. `docs/graph.md`. */
  path: string;
  text: string;
};

const pageAt = (path: string): Page => ({ path, text: readFileSync(join(root, path), 'utf8') });

/** The README and everything below docs/. */
export const pages: readonly Page[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .toSorted(),
].map(pageAt);

/** A fenced block of a page. */
export type Block = {
  /** What stands behind the fence, e.g. `sh`, or `ts src/lib/ids.ts`; empty for outputs and pictures. */
  info: string;
  text: string;
};

export const blocksOf = ({ text }: Page): Block[] =>
  [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, info = '', block = '']) => ({
    info,
    text: block,
  }));
