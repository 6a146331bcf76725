import { isObject, type JsonObject } from '../../lib/json.ts';
import type { SegmentKind } from '../check.ts';
import { type FoundSegment, isBytes, readJson } from '../segments/index.ts';

/** A text in an event of a stream. */
export type EventText = {
  readonly path: readonly (string | number)[];
  /** Texts with the same key continue one another. */
  readonly key: string;
  readonly choice: number;
  readonly kind: SegmentKind;
  readonly role: string | null;
  readonly text: string;
  /** It continues what came before; otherwise it stands for itself, or says again what was said. */
  readonly isPiece: boolean;
};

/** Members of an event that say which of several texts it is about. */
const places = ['index', 'output_index', 'content_index', 'summary_index', 'item_id'] as const;

const endOfDelta = /[._-]?delta$/;
/** Kinds of events whose delta is sound. */
const sound = /(?:^|[._])audio[._]delta$/;

/** All texts of an event, in any format whose events are JSON. */
export function textsOf(event: object): EventText[] {
  const payload = event as JsonObject;
  const type = typeof payload.type === 'string' ? payload.type : '';
  const isPiece = type === '' || endOfDelta.test(type);
  const about = places.map((name) => payload[name] ?? '').join('/');
  const prefix = `${type.replace(endOfDelta, '')}|${about}|`;
  const { segments } = readJson(payload, 'output', { isPiece: true });
  const texts = sound.test(type) ? segments.filter((segment) => !isSound(segment)) : segments;
  return texts.map((segment): EventText => {
    const { path, kind, role, text } = segment;
    const { key, choice } = placeOf(payload, segment);
    return {
      path,
      kind,
      role,
      text,
      choice,
      key: prefix + key,
      isPiece: isPiece && kind !== 'title' && kind !== 'url',
    };
  });
}

const isSound = ({ path, text }: FoundSegment): boolean => path[0] === 'delta' && isBytes(text);

/** Items of a list say themselves which one they are: an event holds only some of them. */
function placeOf(payload: JsonObject, { path, choice }: FoundSegment): { key: string; choice: number } {
  const parts: (string | number)[] = [];
  let at: unknown = payload;
  let chosen: number = choice;
  for (const [depth, part] of path.entries()) {
    const item: unknown = (at as JsonObject | undefined)?.[part as string];
    const index =
      typeof part === 'number' && isObject(item) && typeof item.index === 'number' ? item.index : part;
    if (depth === 1 && typeof index === 'number' && (path[0] === 'choices' || path[0] === 'candidates'))
      chosen = index;
    parts.push(index);
    at = item;
  }
  return { key: parts.join('.'), choice: chosen };
}
