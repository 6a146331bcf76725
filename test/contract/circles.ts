import type { SourceFile } from './source-files.ts';

/** The shortest way along the imports from one file to another, both included; null when there is none. */
function wayBetween(from: string, to: string, importsOf: Map<string, string[]>): string[] | null {
  const cameFrom = new Map<string, string | null>([[from, null]]);
  for (const path of cameFrom.keys()) {
    if (path === to) {
      const way: string[] = [];
      for (let step: string | null = to; step !== null; step = cameFrom.get(step) ?? null) way.unshift(step);
      return way;
    }
    for (const next of importsOf.get(path) ?? []) if (!cameFrom.has(next)) cameFrom.set(next, path);
  }
  return null;
}

/**
 * The loops of imports, each as the files that one meets on the way round. A loop is found at each import that
 * `starts` accepts; imports of a loop that is known already are passed over.
 */
export function circles(
  files: SourceFile[],
  importsIn: (file: SourceFile) => string[],
  starts: (from: string, to: string) => boolean,
): string[][] {
  const importsOf = new Map(files.map((file) => [file.path, importsIn(file)]));
  const known = new Set<string>();
  const found: string[][] = [];
  for (const [from, imports] of importsOf) {
    for (const to of imports) {
      if (!starts(from, to) || known.has(`${from} ${to}`)) continue;
      const way = wayBetween(to, from, importsOf);
      if (!way) continue;
      const loop = [from, ...way];
      for (const [index, path] of way.entries()) known.add(`${loop[index]} ${path}`);
      found.push(loop);
    }
  }
  return found;
}
