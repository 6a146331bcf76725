import type { TextEdit } from '../../guardrails/check.ts';
import type { CheckedBody } from '../../guardrails/engine/index.ts';
import {
  type FoundSegment,
  NAME,
  NO_TEXTS,
  type Placeholders,
  type ReadTexts,
  withEdits,
} from '../../guardrails/segments/index.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';

type Path = readonly (string | number)[];
type Found = { segments: FoundSegment[]; isTooDeep: boolean };

/** Levels that are walked through: what is nested more deeply cannot be read. */
const MAX_DEPTH = 200;
const MAX_SEGMENTS = 50_000;
/** A whole number from which on it may stand for something, such as a card. */
const LONG_NUMBER = 1e7;
/** Characters of a name beyond which it may be more than a name. */
const LONG_NAME = 15;
const IDENTIFIER = /^[\w.:/@$-]*$/;
const PROTOCOL_META = /^(io\.modelcontextprotocol\/.*|progressToken|traceparent|tracestate|baggage)$/;
/** Members of an item of content that hold no words. */
const NO_TEXT: ReadonlySet<string> = new Set(['type', 'data', 'blob', 'mimeType', 'annotations', 'icons']);

/** Finds the texts of a value that guardrails look at. */
export type FindTexts = (value: unknown, found: Found) => void;

/** Every text of a value, whatever its name, and names that may be more than names. */
export function allTexts(value: unknown, found: Found, path: Path = []): void {
  if (path.length > MAX_DEPTH || found.segments.length > MAX_SEGMENTS) found.isTooDeep = true;
  else if (typeof value === 'string') add(found, path, value);
  else if (typeof value === 'number') {
    if (Number.isSafeInteger(value) && Math.abs(value) >= LONG_NUMBER) add(found, path, String(value));
  } else if (Array.isArray(value))
    for (const [at, item] of value.entries()) allTexts(item, found, [...path, at]);
  else if (isObject(value))
    for (const name of Object.keys(value)) memberTexts(value[name], found, path, name);
}

function memberTexts(value: unknown, found: Found, path: Path, name: string): void {
  if (name.length > LONG_NAME || !IDENTIFIER.test(name)) add(found, [...path, NAME, name], name);
  allTexts(value, found, [...path, name]);
}

/** Every text of params, but for what the protocol itself says in `_meta`. */
export function paramsTexts(value: unknown, found: Found): void {
  if (!isObject(value)) return;
  const { _meta, ...said } = value;
  allTexts(said, found);
  metaTexts(_meta, found);
}

/** The texts of a result: of its content, prompts, resources and suggestions, and all of what is structured. */
export function resultTexts(value: unknown, found: Found): void {
  if (!isObject(value)) return;
  contentTexts(value.content, found, ['content']);
  for (const member of ['description', 'statusMessage'])
    if (typeof value[member] === 'string') add(found, [member], value[member]);
  if (isObject(value.task) && typeof value.task.statusMessage === 'string')
    add(found, ['task', 'statusMessage'], value.task.statusMessage);
  for (const [at, message] of listOf(value.messages))
    if (isObject(message)) contentTexts(message.content, found, ['messages', at, 'content']);
  for (const [at, resource] of listOf(value.contents)) resourceText(resource, found, ['contents', at]);
  for (const member of ['structuredContent', 'inputRequests', 'completion', 'error'])
    allTexts(value[member], found, [member]);
  metaTexts(value._meta, found);
}

/** What the protocol itself says in `_meta`, or traces do, is no text. */
function metaTexts(meta: unknown, found: Found): void {
  if (!isObject(meta)) return;
  for (const name of Object.keys(meta))
    if (!PROTOCOL_META.test(name)) memberTexts(meta[name], found, ['_meta'], name);
}

const listOf = (value: unknown): [number, unknown][] => (Array.isArray(value) ? [...value.entries()] : []);

/** One item of content, or a list of them. */
function contentTexts(content: unknown, found: Found, path: Path): void {
  if (Array.isArray(content)) {
    for (const [at, item] of content.entries()) itemTexts(item, found, [...path, at]);
  } else itemTexts(content, found, path);
}

/** Bytes are not read; of an item of a kind that nobody knows, every text is. */
function itemTexts(item: unknown, found: Found, path: Path): void {
  if (!isObject(item)) return;
  const { type } = item;
  if (type === 'resource') resourceText(item.resource, found, [...path, 'resource']);
  else
    for (const name of Object.keys(item)) if (!NO_TEXT.has(name)) memberTexts(item[name], found, path, name);
}

function resourceText(resource: unknown, found: Found, path: Path): void {
  if (isObject(resource) && typeof resource.text === 'string') add(found, [...path, 'text'], resource.text);
}

function add({ segments }: Found, path: Path, text: string): void {
  if (text !== '') segments.push({ path, role: null, kind: 'text', text, turn: null, choice: 0 });
}

/** Arguments or a result while guardrails look at it. */
export class LeafBody implements CheckedBody {
  isEdited = false;
  #value: JsonObject;
  #texts: ReadTexts;
  readonly #find: FindTexts;

  constructor(value: JsonObject, find: FindTexts) {
    this.#value = value;
    this.#find = find;
    this.#texts = this.#read();
  }

  get value(): JsonObject {
    return this.#value;
  }

  get texts(): ReadTexts {
    return this.#texts;
  }

  edit(edits: readonly TextEdit[], placeholders: Placeholders): boolean {
    const edited = withEdits(this.#value, edits, placeholders);
    if (edited === this.#value || !isObject(edited)) return false;
    this.replace(edited);
    return true;
  }

  replace(value: Readonly<JsonObject>): void {
    this.#value = value;
    this.isEdited = true;
    this.#texts = this.#read();
  }

  #read(): ReadTexts {
    const found: Found = { segments: [], isTooDeep: false };
    this.#find(this.#value, found);
    const unreadable = found.isTooDeep ? 'it is nested too deeply, or has too many texts' : null;
    return { ...NO_TEXTS, segments: found.segments, unreadable };
  }
}
