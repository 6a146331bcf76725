// Says what the working tree changes for callers since a git ref (`npm run schema:diff -- <ref>`; without one since the
// branch left origin/main or, where it has not, since the commit before). Exits with 1 when something breaks them.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSchema, findBreakingChanges, findDangerousChanges } from 'graphql';
import { compareDescriptions } from './schema-diff/description.ts';
import { changedRules } from './schema-diff/rules.ts';
import { type Changes, joined } from './schema-diff/schemas.ts';

/** What callers rely on: how a tree of files tells it (null where it does not), and what compares two versions of it. */
const published = [
  {
    name: 'test/contract/printed.graphql',
    in: (tree: string) => contentOf(join(tree, 'test/contract/printed.graphql')),
    compare: compareSchemas,
  },
  { name: 'The description of the REST API', in: restDescriptionIn, compare: compareDescriptions },
];

const contentOf = (file: string): string | null => (existsSync(file) ? readFileSync(file, 'utf8') : null);

/** The tree's own code makes its description, so that a change of that code shows as well. */
function restDescriptionIn(tree: string): string | null {
  const script = join(tree, 'scripts/codegen/print-description.ts');
  if (!existsSync(script)) return null;
  return execFileSync(process.execPath, [script], { encoding: 'utf8', maxBuffer: 2 ** 26 });
}

function compareSchemas(before: string, after: string): Changes {
  const [old, current] = [buildSchema(before), buildSchema(after)];
  const sentences = (changes: { description: string }[]) => changes.map(({ description }) => description);
  return {
    breaking: sentences(findBreakingChanges(old, current)),
    dangerous: [...sentences(findDangerousChanges(old, current)), ...changedRules(before, after)],
  };
}

/** What git prints; null when it refuses. */
function git(...args: string[]): string | null {
  try {
    return execFileSync('git', args, {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trimEnd();
  } catch {
    return null;
  }
}

const commitOf = (ref: string) =>
  git('rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`);

function defaultBase(): string {
  const left = git('merge-base', 'origin/main', 'HEAD');
  return left === null || left === commitOf('HEAD') ? 'HEAD~1' : left;
}

/** Calls `read` with a folder that holds the files of `commit`. */
function inTreeOf<T>(commit: string, root: string, read: (tree: string) => T): T {
  const tree = mkdtempSync(join(tmpdir(), 'sluice-schema-diff-'));
  try {
    const files = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 28 });
    execFileSync('tar', ['-x', '-C', tree], { input: files });
    const packages = join(root, 'node_modules');
    if (existsSync(packages)) symlinkSync(packages, join(tree, 'node_modules'));
    return read(tree);
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

function changesSince(base: string): Changes {
  const root = git('rev-parse', '--show-toplevel') ?? '.';
  const earlier = inTreeOf(base, root, (tree) => published.map((part) => part.in(tree)));
  const all = published.map(({ name, in: of, compare }, index): Changes => {
    const [before, after] = [earlier[index] ?? null, of(root)];
    // What was not published yet has no callers.
    if (before === null) return { breaking: [], dangerous: after === null ? [] : [`${name} is new.`] };
    return after === null ? { breaking: [`${name} is gone.`], dangerous: [] } : compare(before, after);
  });
  return joined(all);
}

const listed = (changes: string[]) =>
  changes.length === 0 ? ' nothing' : `\n${changes.map((text) => `- ${text}`).join('\n')}`;

const ref = process.argv[2] ?? defaultBase();
const base = commitOf(ref);
if (base === null) {
  console.error(`${ref} is no commit of this repository.`);
  process.exitCode = 2;
} else {
  const { breaking, dangerous } = changesSince(base);
  console.log(`Since ${git('log', '-1', '--format=%h %s', base)}`);
  console.log(`\nBreaks callers:${listed(breaking)}`);
  console.log(`\nMay surprise callers:${listed(dangerous)}`);
  if (breaking.length > 0) process.exitCode = 1;
}
