import { MemberWalk } from './members.ts';
import { Patch } from './patch.ts';
import { afterSpace, endOfValue, isArrayAt, isCommaAt, isObjectAt } from './scan.ts';

/** The way to a member, from the outside: names, indexes of lists, and `*` for each item of a list. */
export type MemberPath = readonly string[];

/** The text of a JSON object, which names each member once, without the members at the paths. All other bytes stay as they are. */
export function withoutMembers(json: Buffer, paths: readonly MemberPath[]): Buffer {
  const patch = new Patch(json);
  new Cut(json.toString('latin1'), patch).value(0, paths);
  return patch.patched();
}

class Cut {
  readonly #text: string;
  readonly #patch: Patch;

  constructor(text: string, patch: Patch) {
    this.#text = text;
    this.#patch = patch;
  }

  /** Cuts the value at a position; answers where it ends. */
  value(at: number, paths: readonly MemberPath[]): number {
    const start = afterSpace(this.#text, at);
    if (paths.length > 0 && isObjectAt(this.#text, start)) return this.#members(start, paths);
    if (paths.length > 0 && isArrayAt(this.#text, start)) return this.#items(start, paths);
    return endOfValue(this.#text, start);
  }

  #members(open: number, paths: readonly MemberPath[]): number {
    const members = new MemberWalk(this.#text, open);
    let kept = 0;
    while (members.next()) {
      const { name, start, value, previous } = members;
      const below = pathsBelow(paths, name);
      const isCut = below.some(isOver);
      const end = isCut ? endOfValue(this.#text, value) : this.value(value, below);
      const next = members.leave(end);
      if (!isCut) kept++;
      else if (kept > 0) this.#patch.replace(previous, end, '');
      else this.#patch.replace(start, next, '');
    }
    return members.end;
  }

  /** An item is never cut, since those behind it would move up: a path that ends at one leaves null. */
  #items(open: number, paths: readonly MemberPath[]): number {
    const each = pathsBelow(paths, '*').filter((path) => !isOver(path));
    const isOne = paths.some(([first]) => first !== '*');
    let at = afterSpace(this.#text, open + 1);
    if (this.#text[at] === ']') return at + 1;
    for (let index = 0; ; index++) {
      const below = isOne ? [...each, ...pathsBelow(paths, String(index))] : each;
      const isCut = isOne && below.some(isOver);
      const end = isCut ? endOfValue(this.#text, at) : this.value(at, below);
      if (isCut) this.#patch.replace(at, end, 'null');
      const next = afterSpace(this.#text, end);
      if (!isCommaAt(this.#text, next)) return next + 1;
      at = afterSpace(this.#text, next + 1);
    }
  }
}

const NONE: readonly MemberPath[] = [];

const isOver = (path: MemberPath): boolean => path.length === 0;

function pathsBelow(paths: readonly MemberPath[], name: string): readonly MemberPath[] {
  let below: MemberPath[] | null = null;
  for (const path of paths) {
    if (path[0] !== name) continue;
    below ??= [];
    below.push(path.slice(1));
  }
  return below ?? NONE;
}
