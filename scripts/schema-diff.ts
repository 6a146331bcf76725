// Says what the working tree changes for callers since a git ref (`npm run schema:diff -- <ref>`; without one since the
// branch left origin/main or, where it has not, since the commit before). Exits with 1 when something breaks them.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, findBreakingChanges, findDangerousChanges } from 'graphql';
import { compareDescriptions } from './schema-diff/description.ts';
import { changedRules } from './schema-diff/rules.ts';
import { type Changes, joined } from './schema-diff/schemas.ts';

/** What callers rely on, as committed files, each with what compares two versions of it. */
const published: Record<string, (before: string, after: string) => Changes> = {
  'test/contract/printed.graphql': compareSchemas,
  'rest-compat/published.json': compareDescriptions,
};

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

function changesSince(base: string): Changes {
  const root = git('rev-parse', '--show-toplevel') ?? '.';
  const all = Object.entries(published).map(([path, compare]): Changes => {
    const before = git('show', `${base}:${path}`);
    const file = join(root, path);
    const after = existsSync(file) ? readFileSync(file, 'utf8') : null;
    // What was not published yet has no callers.
    if (before === null) return { breaking: [], dangerous: after === null ? [] : [`${path} is new.`] };
    return after === null ? { breaking: [`${path} is gone.`], dangerous: [] } : compare(before, after);
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
