import type { TextEdit } from '../check.ts';
import type { CheckedBody } from '../engine/index.ts';
import { withoutOverlaps } from '../segments/edits.ts';
import { type FoundSegment, NO_TEXTS, type ReadTexts } from '../segments/index.ts';

/** A stretch of a stream's text that was replaced: positions are those of the text as it came. */
export type ReplacedSpan = { start: number; end: number; replacement: TextEdit['replacement'] };

/** A stretch of one text in a window. */
export type WindowPiece = Pick<FoundSegment, 'kind' | 'role'> & {
  readonly key: string;
  /** Where it begins in all that came. */
  readonly start: number;
  readonly text: string;
};

/** Text as it is after edits so far: a stretch of what came, or what took its place. */
type Fragment = { start: number; end: number; text: string; replacement: TextEdit['replacement'] | null };

/** `of`: the place of a character of a text. `before`: how many characters of the text came in front of a place. */
export type TextPlaces = { of(at: number): number; before(place: number): number };

type WindowText = Pick<FoundSegment, 'kind' | 'role' | 'path'> & { fragments: Fragment[] };

/** What is held of one choice of a stream, while it is checked; it remembers where what came is to be replaced. */
export class WindowBody implements CheckedBody {
  readonly value = null;
  readonly #choice: number;
  readonly #texts: WindowText[];
  #read: ReadTexts | null = null;
  isEdited = false;

  constructor(pieces: readonly WindowPiece[], choice: number) {
    this.#choice = choice;
    const byKey = new Map<string, WindowText>();
    for (const { key, kind, role, start, text } of pieces) {
      if (text === '') continue;
      const fragment = { start, end: start + text.length, text, replacement: null };
      const known = byKey.get(key);
      if (!known) byKey.set(key, { kind, role, path: [byKey.size], fragments: [fragment] });
      else continued(known.fragments, fragment);
    }
    this.#texts = [...byKey.values()];
  }

  get texts(): ReadTexts {
    this.#read ??= {
      ...NO_TEXTS,
      segments: this.#texts.map(({ kind, role, path, fragments }) => ({
        kind,
        role,
        path,
        text: fragments.map(({ text }) => text).join(''),
        turn: null,
        choice: this.#choice,
      })),
    };
    return this.#read;
  }

  edit(edits: readonly TextEdit[]): boolean {
    let hasChanged = false;
    for (const [at, text] of this.#texts.entries()) {
      const own = withoutOverlaps(
        edits.filter(({ segment }) => segment.path[0] === at && segment.path.length === 1),
      );
      // From the back, so that positions in front stay what they are.
      for (const edit of own.reverse()) {
        text.fragments = replaced(text.fragments, edit);
        hasChanged = true;
      }
    }
    if (hasChanged) {
      this.isEdited = true;
      this.#read = null;
    }
    return hasChanged;
  }

  /** Where a segment stands in what came, as it was before anything was edited. */
  placesOf({ path: [index] }: Pick<FoundSegment, 'path'>): TextPlaces {
    const fragments = [...(this.#texts[Number(index)]?.fragments ?? [])];
    return {
      of(at) {
        let left = at;
        for (const { start, text } of fragments) {
          if (left < text.length) return start + left;
          left -= text.length;
        }
        throw new RangeError(`There is no character ${at} in text ${index}.`);
      },
      before: (place) =>
        fragments.reduce(
          (length, { start, text }) => length + Math.min(text.length, Math.max(0, place - start)),
          0,
        ),
    };
  }

  replace(): void {
    throw new Error('The answer is streamed: its body cannot be replaced as a whole.');
  }

  /** What is to be replaced, in the order of what came. */
  get spans(): ReplacedSpan[] {
    return this.#texts
      .flatMap(({ fragments }) => fragments)
      .flatMap(({ start, end, replacement }) => (replacement === null ? [] : [{ start, end, replacement }]))
      .sort((left, right) => left.start - right.start);
  }
}

function continued(fragments: Fragment[], fragment: Fragment): void {
  const last = fragments.at(-1);
  if (last && last.end === fragment.start) {
    last.end = fragment.end;
    last.text += fragment.text;
  } else fragments.push(fragment);
}

/** How a placeholder reads before it has its number. */
const shown = (replacement: TextEdit['replacement']): string =>
  typeof replacement === 'string' ? replacement : `{{${replacement.placeholder}_0}}`;

/** The fragments with one edit; what was replaced before goes as a whole where the edit touches it. */
function replaced(fragments: readonly Fragment[], { start, end, replacement }: TextEdit): Fragment[] {
  const result: Fragment[] = [];
  let at = 0;
  let isFirst = true;
  for (const fragment of fragments) {
    const from = at;
    const to = at + fragment.text.length;
    at = to;
    const isTouched = start < to && from < end;
    const isInsertion = start === end && start >= from && start < to;
    if (!isTouched && !isInsertion) {
      result.push(fragment);
      continue;
    }
    const cut = { from: Math.max(start, from) - from, to: Math.min(end, to) - from };
    const gone = fragment.replacement === null ? cut : { from: 0, to: fragment.text.length };
    if (gone.from > 0)
      result.push({ ...fragment, end: fragment.start + gone.from, text: fragment.text.slice(0, gone.from) });
    const by = isFirst ? replacement : '';
    isFirst = false;
    result.push({
      start: fragment.replacement === null ? fragment.start + gone.from : fragment.start,
      end: fragment.replacement === null ? fragment.start + gone.to : fragment.end,
      text: shown(by),
      replacement: by,
    });
    if (gone.to < fragment.text.length)
      result.push({ ...fragment, start: fragment.start + gone.to, text: fragment.text.slice(gone.to) });
  }
  return result;
}
