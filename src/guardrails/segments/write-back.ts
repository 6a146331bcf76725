import type { TextEdit } from '../check.ts';
import { editedJson, editedText, settled } from './edits.ts';
import { tokenMembers } from './member-names.ts';
import type { Placeholders } from './placeholders.ts';
import { NAME } from './read-json.ts';

type Path = readonly (string | number)[];
type Holder = Record<string | number, unknown>;

/** A JSON value with edits of its texts: a copy where something changed, and the value itself where nothing did. */
export function withEdits(value: unknown, edits: readonly TextEdit[], placeholders: Placeholders): unknown {
  const bySegment = new Map<string, TextEdit[]>();
  for (const edit of edits) {
    const key = JSON.stringify(edit.segment.path);
    const known = bySegment.get(key);
    if (known) known.push(edit);
    else bySegment.set(key, [edit]);
  }
  let edited = value;
  for (const together of bySegment.values()) {
    const [first] = together;
    if (first === undefined) continue;
    const { path, text, kind } = first.segment;
    const changes = settled(together, text, placeholders);
    const said = (kind === 'tool_arguments' ? editedJson : editedText)(text, changes);
    if (said !== text) edited = withoutTokens(withText(edited, path, said), path);
  }
  return edited;
}

/** A copy with a text at a path; at the name of a member, with that member under another name. */
export function withText(value: unknown, path: Path, text: string): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return text;
  if (first === NAME) return renamed(value as Holder, String(rest[0]), text);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Holder = Array.isArray(value) ? ([...value] as unknown as Holder) : { ...(value as Holder) };
  copy[first] = withText((value as Holder)[first], rest, text);
  return copy;
}

const renamed = (holder: Holder, from: string, to: string): Holder =>
  Object.fromEntries(Object.entries(holder).map(([name, member]) => [name === from ? to : name, member]));

/** The tokens of a text that was edited would tell what stood there: they go from all objects above it. */
function withoutTokens(value: unknown, path: Path): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const [first, ...rest] = path;
  const holder = value as Holder;
  const copy: Holder = Array.isArray(value) ? ([...value] as unknown as Holder) : { ...holder };
  if (!Array.isArray(value)) for (const name of tokenMembers) if (copy[name]) copy[name] = null;
  if (first !== undefined && first !== NAME && first in holder)
    copy[first] = withoutTokens(holder[first], rest);
  return copy;
}
