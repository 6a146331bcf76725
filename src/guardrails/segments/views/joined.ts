import type { Segment } from '../../check.ts';
import type { FoundSegment } from '../found.ts';
import { binaryMembers, textMembers } from '../member-names.ts';
import { decodedAcross } from './across.ts';
import { spanOfRun } from './decoded.ts';
import { latinised, type NormalisedText } from './normalised.ts';
import { editParts, type JoinedPart, type TextView } from './view.ts';

/** Characters of texts that are put together, of all bodies that are read. */
const MAX_JOINED = 16_000_000;

/** Texts of a body without a gap: all of them, and those under one name, between which others may have been put. */
export function addJoined(
  views: TextView[],
  segments: readonly FoundSegment[],
  plain: readonly (NormalisedText | null)[],
): void {
  const indexes = segments.flatMap(({ kind }, at) => (kind === 'title' ? [] : [at]));
  addList(views, indexes, segments, plain);
  for (const list of byName(indexes, segments)) {
    if (list.length < 2 || list.length === indexes.length) continue;
    addList(views, list, segments, plain);
  }
}

/** Those whose nearest member has the same name, those of all members that hold texts in known formats, and all but bytes. */
function byName(indexes: readonly number[], segments: readonly FoundSegment[]): readonly number[][] {
  const lists = new Map<string, number[]>();
  const add = (name: string, at: number) => {
    const list = lists.get(name);
    if (list) list.push(at);
    else lists.set(name, [at]);
  };
  for (const at of indexes) {
    const name = segments[at]?.path.findLast((part) => typeof part === 'string');
    if (typeof name !== 'string') continue;
    add(name, at);
    if (textMembers.has(name)) add('\u0000texts', at);
    if (!binaryMembers.has(name)) add('\u0000but bytes', at);
  }
  return [...lists.values()];
}

function addList(
  views: TextView[],
  list: readonly number[],
  segments: readonly FoundSegment[],
  plain: readonly (NormalisedText | null)[],
): void {
  const parts: JoinedPart[] = [];
  let length = 0;
  for (const at of list) {
    const segment = segments[at];
    if (segment === undefined) continue;
    const clear = plain[at] ?? null;
    const { length: size } = clear?.text ?? segment.text;
    parts.push({ segment, clear, from: length, to: length + size });
    length += size;
  }
  if (parts.length < 2 || length > MAX_JOINED) return;
  const text = parts.map(({ segment, clear }) => clear?.text ?? segment.text).join('');
  const joined: Segment = { path: [], role: null, kind: 'text', text };
  for (const said of [text, latinised(text)])
    if (said !== null)
      views.push({ segment: { ...joined, text: said }, edit: (edit) => editParts(parts, edit) });
  const joints = parts.slice(1).map(({ from }) => from);
  for (const run of decodedAcross(text, joints)) {
    // What lies in one part was found there.
    if (parts.some(({ from, to }) => from <= run.start && run.end <= to)) continue;
    views.push({
      segment: { ...joined, kind: 'encoded', text: run.text },
      edit: ({ segment, start, end, replacement }) =>
        editParts(parts, { segment, ...spanOfRun(run, start, end), replacement }),
    });
  }
}
