import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { formsOf, isLike, squashed } from './likeness.ts';
import { misplacedNames, unbuiltNames } from './reserved.ts';

/** A name of the gateway that a path begins with, or nearly does. */
export type OwnName = {
  name: string;
  /** False where it is only like the name. */
  isExact: boolean;
  /** Paths that begin with it, base included; none where nothing is built yet. */
  paths: readonly string[];
};

/** What a segment says of its path: that it is a provider's, nothing yet, or a name of ours. */
type Verdict = 'theirs' | 'next' | OwnName;

export type OwnNames = {
  /** The name of ours by which a request is none for a provider; null for what may go to one. `path` is what follows `/v1/`. */
  find(request: Pick<IncomingMessage, 'headers'>, path: string): OwnName | null;
};

/** Verdicts that are kept, beside those on the names of providers. */
const MAX_VERDICTS = 1000;
/** A segment that is longer, percent-encoding included, resembles no name. */
const MAX_SEGMENT_LENGTH = 200;

/** Segments before which an API's own paths begin, as SDKs with two bases join them: `/v1/v1/configs`. */
const version = /^v\d+([a-z]+\d*)?$/i;

/**
 * Knows the names of the administration, so that what was meant for the gateway goes to no provider, secrets included.
 * `built`: path below its base and the whole path of what is answered; `theirs`: names of providers, in lower case.
 */
export function createOwnNames(
  built: Iterable<{ path: string; full: string }>,
  theirs: ReadonlySet<string>,
): OwnNames {
  const pathsOf = collect(built);
  const names = [...pathsOf].map(([name, paths]) => ({ name, paths, forms: formsOf(name) }));
  const verdicts = new LRUCache<string, Verdict>({ max: MAX_VERDICTS });

  function judge(segment: string): Verdict {
    const word = decoded(segment);
    // No path with such a segment is passed on.
    if (word === '.' || word === '..') return 'theirs';
    if (theirs.has(word.toLowerCase())) return 'theirs';
    const own = pathsOf.get(word);
    if (own) return { name: word, isExact: true, paths: own };
    const plain = squashed(word);
    if (plain === '' || version.test(word)) return 'next';
    const like = names.find(({ forms }) => forms.some((form) => isLike(plain, form)));
    return like ? { name: like.name, isExact: false, paths: like.paths } : 'theirs';
  }

  function verdictOn(segment: string): Verdict {
    // Nearly every request: no more than a look into a set.
    if (theirs.has(segment)) return 'theirs';
    if (segment.length > MAX_SEGMENT_LENGTH) return 'theirs';
    const known = verdicts.get(segment);
    if (known !== undefined) return known;
    const verdict = judge(segment);
    verdicts.set(segment, verdict);
    return verdict;
  }

  return {
    find(request, path) {
      let start = 0;
      for (;;) {
        const end = path.indexOf('/', start);
        const verdict = verdictOn(end < 0 ? path.slice(start) : path.slice(start, end));
        if (verdict === 'next' && end >= 0) {
          start = end + 1;
          continue;
        }
        if (typeof verdict === 'string') return null;
        return verdict.isExact || hasBody(request) ? verdict : null;
      }
    },
  };
}

/** Every name with the paths that begin with it, those directly below `/v1` alone where there are such. */
function collect(built: Iterable<{ path: string; full: string }>): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const name of unbuiltNames) found.set(name, []);
  for (const [name, paths] of Object.entries(misplacedNames)) found.set(name, paths);
  for (const { path, full } of built) {
    const name = path.split('/')[1] ?? '';
    const known = found.get(name) ?? [];
    if (!known.includes(full)) found.set(name, [...known, full]);
  }
  for (const [name, paths] of found) {
    const direct = paths.filter((path) => path.startsWith('/v1/'));
    if (direct.length > 0) found.set(name, direct);
  }
  return found;
}

/** The first segment as a provider that decodes before it splits would see it. */
function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return (
      decodeURIComponent(segment)
        .replace(/^[/\s]+/, '')
        .split('/', 1)[0]
        ?.trim() ?? ''
    );
  } catch {
    // What is no UTF-8 is nobody's name.
    return segment;
  }
}

const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
