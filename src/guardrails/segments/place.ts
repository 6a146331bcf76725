import { isObject } from '../../lib/json.ts';
import type { Phase, SegmentKind } from '../check.ts';
import * as names from './member-names.ts';

/** Where the walk stands. */
export type TextPlace = {
  readonly path: readonly (string | number)[];
  /** The name of the nearest member above. */
  readonly name: string;
  readonly role: string | null;
  readonly kind: SegmentKind;
  readonly turn: number | null;
  readonly choice: number;
  /** No name has a meaning of its own here: whatever is said is a text. */
  readonly isFree: boolean;
};

/** Characters up to which a text says nothing where no text is expected. */
export const SHORT = 3;
/** Characters of a name beyond which it may be more than a name. */
const LONG_NAME = 15;
/** A whole number from which on it may stand for something, such as a card. */
export const LONG_NUMBER = 1e7;

/** One word, as ids and settings are. */
export const WORD = /^[\w.:/@+=,#-]{0,128}$/;

/** Whether a body is of a known format. */
export function isKnown(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0 || isKnown(value[0]);
  return isObject(value) && Object.keys(value).some((name) => names.knownMembers.has(name));
}

const isToken = (value: unknown): boolean => typeof value === 'number' && Number.isInteger(value);

export const isSmallNumber = (value: unknown): boolean =>
  typeof value === 'number' && Math.abs(value) < LONG_NUMBER;

/** Prompts may come as the numbers of tokens, of which a gateway cannot tell what they say. */
export function isTokens(items: readonly unknown[], name: string, phase: Phase): boolean {
  if (name === 'prompt' || name === 'input') return items.some(isToken);
  if (phase === 'output') return false;
  if (names.vectorMembers.has(name)) return items.length > 0;
  return names.tokenLists.has(name) && items.length > 0 && items.every(isToken);
}

/** Whether the name of a member may be more than a name. */
export const saysSomething = (name: string, isFree: boolean): boolean =>
  name.length > SHORT &&
  (isFree || (name.length > LONG_NAME && !names.formatMembers.has(name)) || !WORD.test(name));

export const isFreeBelow = (name: string, { name: above }: TextPlace): boolean =>
  names.freeMembers.has(name) || (name === 'response' && names.resultMembers.has(above));

export const isPlain = (name: string, type: string): boolean => type === 'text' && name === 'data';

export const saidByModel = (role: string | null, type: string): boolean =>
  (role !== null && names.assistantRoles.has(role)) || /^(?:reasoning|.*_call)$/.test(type);

export function kindOf({ kind, turn }: TextPlace, role: string | null, type: string): SegmentKind {
  if (kind !== 'text') return kind;
  if (names.resultTypes.test(type)) return 'tool_result';
  if (type === 'thinking' || type === 'reasoning') return 'reasoning';
  if (turn === null || role === null) return kind;
  if (names.systemRoles.has(role)) return 'system';
  return names.toolRoles.has(role) ? 'tool_result' : kind;
}

export function kindBelow(
  name: string,
  kind: SegmentKind,
  type: string,
  { path, name: above }: TextPlace,
): SegmentKind {
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
