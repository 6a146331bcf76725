import { isObject, type JsonObject } from '../../lib/json.ts';
import type { Phase, SegmentKind } from '../check.ts';
import type { FoundSegment, ReadTexts } from './found.ts';
import * as names from './member-names.ts';
import {
  isFreeBelow,
  isKnown,
  isPlain,
  isSmallNumber,
  isTokens,
  kindBelow,
  kindOf,
  LONG_NUMBER,
  SHORT,
  saidByModel,
  saysSomething,
  type TextPlace,
  WORD,
} from './place.ts';
import { isCertainlyBytes, isTextInDisguise } from './views/decoded.ts';

const ROOT: TextPlace = {
  path: [],
  name: '',
  role: null,
  kind: 'text',
  turn: null,
  choice: 0,
  isFree: false,
};

/** Levels that are walked through: what is nested more deeply cannot be read. */
const MAX_DEPTH = 200;
/** Texts of one body. */
const MAX_SEGMENTS = 50_000;
const ASCII = /^\p{ASCII}*$/u;
/** Bytes in a URL: its type, and its base64. */
const DATA_URL = /^data:([^;,\s]*)(?:;[^;,\s]*)*;base64,\s*([\w+/=%-]*)\s*$/i;
/**
 * All texts of a JSON value, whatever its format: requests and answers of models, streamed pieces of them, and any other. Of a
 * piece each character counts, under whatever name.
 */
export function readJson(value: unknown, phase: Phase, { isPiece } = { isPiece: false }): ReadTexts {
  const walk = new JsonWalk(phase, isPiece ? 0 : SHORT);
  walk.visit(value, isPiece || isKnown(value) ? ROOT : { ...ROOT, isFree: true }, 0);
  const { segments, lastAnswer, lastTurn, unreadable } = walk;
  // What is said stands behind what was thought, in whatever order a body has them.
  if (phase === 'output')
    segments.sort((left, right) => Number(right.kind === 'reasoning') - Number(left.kind === 'reasoning'));
  return { segments, lastAnswer, lastTurn, unreadable };
}

/** Most members of an answer are settings and counts, for which no place is made. */
const mayHoldText = (value: unknown): boolean =>
  typeof value === 'number' ? !isSmallNumber(value) : value !== null && typeof value !== 'boolean';

class JsonWalk {
  readonly segments: FoundSegment[] = [];
  lastAnswer = -1;
  lastTurn = -1;
  unreadable: string | null = null;
  readonly #phase: Phase;
  readonly #short: number;

  /** `short`: characters up to which a text says nothing where no text is expected. */
  constructor(phase: Phase, short: number) {
    this.#phase = phase;
    this.#short = short;
  }

  visit(value: unknown, place: TextPlace, depth: number): void {
    if (typeof value === 'string') this.#text(value, place);
    else if (typeof value === 'number') this.#number(value, place);
    else if (typeof value !== 'object' || value === null) return;
    else if (depth > MAX_DEPTH) this.unreadable = 'it is nested too deeply';
    else if (Array.isArray(value)) this.#list(value, place, depth);
    else this.#object(value as JsonObject, place, depth);
  }

  #list(items: readonly unknown[], place: TextPlace, depth: number): void {
    if (place.path.length > 0 && isTokens(items, place.name, this.#phase)) {
      this.unreadable = 'it holds tokens instead of text';
      return;
    }
    if (items.every(isSmallNumber)) return;
    const isTop = place.path.length === 1;
    const isConversation =
      isTop && this.#phase === 'input' && names.conversations.has(place.name) && items.some(isObject);
    const hasChoices = isTop && this.#phase === 'output' && names.alternatives.has(place.name);
    for (let index = 0; index < items.length; index++) {
      const at = { ...place, path: [...place.path, index] };
      if (isConversation) {
        this.lastTurn = index;
        this.visit(items[index], { ...at, turn: index }, depth + 1);
      } else this.visit(items[index], hasChoices ? { ...at, choice: index } : at, depth + 1);
    }
  }

  #object(holder: JsonObject, place: TextPlace, depth: number): void {
    const role = typeof holder.role === 'string' ? holder.role : place.role;
    const type = typeof holder.type === 'string' ? holder.type : '';
    if (place.turn !== null && saidByModel(role, type)) this.lastAnswer = place.turn;
    const kind = kindOf(place, role, type);
    for (const name in holder) {
      if (this.#phase === 'output' && !place.isFree && names.skipped.has(name)) continue;
      const value = holder[name];
      if (mayHoldText(value)) {
        const kindOfIt = kindBelow(name, kind, type, place);
        // What says of itself that it is a text has no bytes.
        const isFree =
          place.isFree || kindOfIt === 'tool_arguments' || isFreeBelow(name, place) || isPlain(name, type);
        const { path, turn, choice } = place;
        const below = { path: [...path, name], name, role, kind: kindOfIt, turn, choice, isFree };
        this.visit(value, below, depth + 1);
      }
      if (saysSomething(name, place.isFree))
        this.#add({ path: [...place.path, NAME, name], role, kind: 'title', text: name }, place);
    }
  }

  #text(text: string, place: TextPlace): void {
    const { name, isFree } = place;
    if (text === '') return;
    if (this.#phase === 'input' && names.vectorMembers.has(name)) this.unreadable = 'it holds vectors';
    const isSetting = isFree ? name === 'type' && names.schemaTypes.has(text) : names.settings.has(name);
    if (isSetting && WORD.test(text)) return;
    if (this.#saysNothing(text, place)) return;
    const kind = this.#kindOfText(text, place);
    // Pictures have no text, and no check looks at them.
    if (kind !== 'image') this.#add({ path: place.path, role: place.role, kind, text }, place);
  }

  /** Few letters of ASCII where no text is expected; in other scripts they may be a word. */
  #saysNothing(text: string, { name, kind, path }: TextPlace): boolean {
    if (text.length > this.#short || path.length <= 1 || names.textMembers.has(name)) return false;
    return kind !== 'tool_arguments' && ASCII.test(text);
  }

  #kindOfText(text: string, { name, kind, isFree }: TextPlace): SegmentKind {
    const data = DATA_URL.exec(text);
    if (data) return /^text\//i.test(data[1] ?? '') || isTextInDisguise(data[2] ?? '') ? 'text' : 'image';
    if (names.binaryMembers.has(name) && isCertainlyBytes(text)) return 'image';
    return names.urlMembers.has(name) && !isFree ? 'url' : kind;
  }

  /** A long number may be a card's as well as a text. */
  #number(value: number, place: TextPlace): void {
    if (!Number.isSafeInteger(value) || Math.abs(value) < LONG_NUMBER || names.settings.has(place.name))
      return;
    this.#add({ path: place.path, role: place.role, kind: place.kind, text: String(value) }, place);
  }

  #add(segment: Omit<FoundSegment, 'turn' | 'choice'>, { turn, choice }: TextPlace): void {
    if (this.segments.length >= MAX_SEGMENTS) this.unreadable = `it has more than ${MAX_SEGMENTS} texts`;
    else this.segments.push({ ...segment, turn, choice });
  }
}

/** Before the last part of a path: the text is the name of that member. */
export const NAME = '\u0000name';
