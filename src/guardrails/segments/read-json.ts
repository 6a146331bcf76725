import { isObject, type JsonObject } from '../../lib/json.ts';
import type { Phase, SegmentKind } from '../check.ts';
import type { FoundSegment, ReadTexts } from './found.ts';
import * as names from './member-names.ts';
import { isBytes, isTextInDisguise } from './views/decoded.ts';

/** Where the walk stands. */
type Place = {
  readonly path: readonly (string | number)[];
  /** The name of the nearest member above. */
  readonly name: string;
  readonly role: string | null;
  readonly kind: SegmentKind;
  readonly turn: number | null;
  readonly choice: number;
};

const ROOT: Place = { path: [], name: '', role: null, kind: 'text', turn: null, choice: 0 };

/** Levels that are walked through: what is nested more deeply cannot be read. */
const MAX_DEPTH = 200;
/** Texts of one body. */
const MAX_SEGMENTS = 50_000;
/** Characters up to which a text says nothing where no text is expected. */
const SHORT = 3;
/** Characters of a name beyond which it may be more than a name. */
const LONG_NAME = 15;
/** A whole number from which on it may stand for something, such as a card. */
const LONG_NUMBER = 1e7;

const ASCII = /^\p{ASCII}*$/u;
/** One word, as ids and settings are. */
const WORD = /^[\w.:/@+=,#-]{0,128}$/;
/** Two of them in a row are no settings, but the tokens of a text. */
const isToken = (value: unknown): boolean => typeof value === 'number' && Number.isInteger(value);

/**
 * All texts of a JSON value, whatever its format: requests and answers of models, streamed pieces of them, and any other. Of a
 * piece each character counts, under whatever name.
 */
export function readJson(value: unknown, phase: Phase, { isPiece } = { isPiece: false }): ReadTexts {
  const walk = new JsonWalk(phase, isPiece ? 0 : SHORT);
  walk.visit(value, ROOT, 0);
  const { segments, lastAnswer, lastTurn, unreadable } = walk;
  // What is said stands behind what was thought, in whatever order a body has them.
  if (phase === 'output')
    segments.sort((left, right) => Number(right.kind === 'reasoning') - Number(left.kind === 'reasoning'));
  return { segments, lastAnswer, lastTurn, unreadable };
}

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

  visit(value: unknown, place: Place, depth: number): void {
    if (typeof value === 'string') this.#text(value, place);
    else if (typeof value === 'number') this.#number(value, place);
    else if (typeof value !== 'object' || value === null) return;
    else if (depth > MAX_DEPTH) this.unreadable = 'it is nested too deeply';
    else if (Array.isArray(value)) this.#list(value, place, depth);
    else this.#object(value as JsonObject, place, depth);
  }

  #list(items: readonly unknown[], place: Place, depth: number): void {
    if (place.path.length > 0 && isTokens(items, place.name)) {
      this.unreadable = 'it holds tokens instead of text';
      return;
    }
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

  #object(holder: JsonObject, place: Place, depth: number): void {
    const role = typeof holder.role === 'string' ? holder.role : place.role;
    const type = typeof holder.type === 'string' ? holder.type : '';
    if (place.turn !== null && saidByModel(role, type)) this.lastAnswer = place.turn;
    const kind = kindOf(place, role, type);
    for (const name in holder) {
      if (names.skipped.has(name)) continue;
      const below = { ...place, path: [...place.path, name], name, role };
      this.visit(holder[name], { ...below, kind: kindBelow(name, kind, type, place) }, depth + 1);
      if (name.length > LONG_NAME || (name.length > SHORT && !WORD.test(name)))
        this.#add({ path: [...place.path, NAME, name], role, kind: 'title', text: name }, place);
    }
  }

  #text(text: string, place: Place): void {
    const { name } = place;
    if (text === '') return;
    if (names.settings.has(name) && WORD.test(text)) return;
    if (this.#saysNothing(text, place)) return;
    const kind = this.#kindOfText(text, place);
    // Pictures have no text, and no check looks at them.
    if (kind !== 'image') this.#add({ path: place.path, role: place.role, kind, text }, place);
  }

  /** Few letters of ASCII where no text is expected; in other scripts they may be a word. */
  #saysNothing(text: string, { name, kind, path }: Place): boolean {
    if (text.length > this.#short || path.length <= 1 || names.textMembers.has(name)) return false;
    return kind !== 'tool_arguments' && ASCII.test(text);
  }

  #kindOfText(text: string, { name, kind }: Place): SegmentKind {
    if (/^data:/i.test(text)) return isTextInDisguise(text.slice(text.indexOf(',') + 1)) ? 'text' : 'image';
    if (names.binaryMembers.has(name) && !/\s/.test(text.trim()) && text.length > SHORT)
      return isBytes(text) ? 'image' : kind;
    return names.urlMembers.has(name) ? 'url' : kind;
  }

  /** A long number may be a card's as well as a text. */
  #number(value: number, place: Place): void {
    if (!Number.isSafeInteger(value) || Math.abs(value) < LONG_NUMBER || names.settings.has(place.name))
      return;
    this.#add({ path: place.path, role: place.role, kind: place.kind, text: String(value) }, place);
  }

  #add(segment: Omit<FoundSegment, 'turn' | 'choice'>, { turn, choice }: Place): void {
    if (this.segments.length >= MAX_SEGMENTS) this.unreadable = `it has more than ${MAX_SEGMENTS} texts`;
    else this.segments.push({ ...segment, turn, choice });
  }
}

/** Before the last part of a path: the text is the name of that member. */
export const NAME = '\u0000name';

/** Prompts may come as the numbers of tokens, of which a gateway cannot tell what they say. */
function isTokens(items: readonly unknown[], name: string): boolean {
  return (name === 'prompt' || name === 'input') && items.length > 0 && items.every(isToken);
}

const saidByModel = (role: string | null, type: string): boolean =>
  (role !== null && names.assistantRoles.has(role)) || /^(?:reasoning|.*_call)$/.test(type);

function kindOf({ kind, turn }: Place, role: string | null, type: string): SegmentKind {
  if (kind !== 'text') return kind;
  if (names.resultTypes.test(type)) return 'tool_result';
  if (type === 'thinking' || type === 'reasoning') return 'reasoning';
  if (turn === null || role === null) return kind;
  if (names.systemRoles.has(role)) return 'system';
  return names.toolRoles.has(role) ? 'tool_result' : kind;
}

function kindBelow(name: string, kind: SegmentKind, type: string, { path, name: above }: Place): SegmentKind {
  if (names.argumentMembers.has(name)) return 'tool_arguments';
  const isCall = names.callTypes.has(type) || names.callMembers.has(above);
  if (isCall && names.callInputs.has(name)) return 'tool_arguments';
  if (kind === 'tool_arguments' || kind === 'title') return kind;
  if (names.resultMembers.has(name)) return 'tool_result';
  if (names.reasoningMembers.has(name)) return 'reasoning';
  if (path.length === 0 && names.systemMembers.has(name)) return 'system';
  if (path.length === 0 && names.schemaMembers.has(name)) return 'title';
  return names.labels.has(name) || names.titleMembers.has(name) ? 'title' : kind;
}
