import type { TextEdit } from '../check.ts';
import type { Placeholders } from './placeholders.ts';

/** An edit whose replacement stands. */
export type SettledEdit = { readonly start: number; readonly end: number; readonly replacement: string };

/**
 * Of overlapping stretches the leftmost stays and, of those that begin together, the longest. What of another one lies behind
 * it stays too, with nothing in its place: a stretch that was found goes as a whole.
 */
export function withoutOverlaps<Edit extends { start: number; end: number; replacement: unknown }>(
  edits: readonly Edit[],
): Edit[] {
  const sorted = [...edits].sort((left, right) => left.start - right.start || right.end - left.end);
  const apart: Edit[] = [];
  let end = 0;
  for (const edit of sorted) {
    if (edit.end < edit.start || (edit.start < end && edit.end <= end)) continue;
    apart.push(edit.start < end ? { ...edit, start: end, replacement: '' } : edit);
    end = edit.end;
  }
  return apart;
}

/** Edits of one text in its order, within it, with numbered placeholders. */
export function settled(
  edits: readonly Pick<TextEdit, 'start' | 'end' | 'replacement'>[],
  text: string,
  placeholders: Placeholders,
): SettledEdit[] {
  const inside = edits.map(({ start, end, replacement }) => ({
    start: Math.max(0, start),
    end: Math.min(end, text.length),
    replacement,
  }));
  return withoutOverlaps(inside).map(({ start, end, replacement }) => ({
    start,
    end,
    replacement:
      typeof replacement === 'string'
        ? replacement
        : placeholders.of(replacement.placeholder, text.slice(start, end)),
  }));
}

/** The text after its edits. */
export function editedText(text: string, edits: readonly SettledEdit[]): string {
  let edited = '';
  let from = 0;
  for (const { start, end, replacement } of edits) {
    edited += text.slice(from, start) + replacement;
    from = end;
  }
  return edited + text.slice(from);
}

/** The same for a text of JSON, such as the arguments of a tool: what was JSON stays JSON. */
export function editedJson(text: string, edits: readonly SettledEdit[]): string {
  const plain = editedText(text, edits);
  if (edits.length === 0 || !isJson(text)) return plain;
  const inString = editedText(text, edits.map(escaped));
  if (isJson(inString)) return inString;
  const asString = editedText(text, edits.map(quoted));
  if (isJson(asString)) return asString;
  // The match goes beyond the strings: what is left of it must not pass.
  return JSON.stringify({ redacted: edits.map(({ replacement }) => replacement).join(' ') });
}

const escaped = (edit: SettledEdit): SettledEdit => ({
  ...edit,
  replacement: JSON.stringify(edit.replacement).slice(1, -1),
});

const quoted = (edit: SettledEdit): SettledEdit => ({
  ...edit,
  replacement: JSON.stringify(edit.replacement),
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
