import { RE2JS } from 're2js';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import { type McpServerRecord, placeOf, type UsableCapability } from '../snapshot/index.ts';

/** What a request is about: its name among all of a server, and what is known of it. */
export type Subject = { name: string; capability: UsableCapability | null };

const MAX_URI = 8192;

const unknown = (what: string, name: unknown): RpcFailure =>
  new RpcFailure(rpc.invalidParams, `Unknown ${what}: ${String(name).slice(0, 256)}`, {
    ...(what === 'resource' && typeof name === 'string' && { data: { uri: name.slice(0, MAX_URI) } }),
  });

/** Whether a result has named a resource of a server to whoever asks for it: it need not stand in a list. */
export type IsLinked = (server: McpServerRecord, uri: string) => boolean;

/** What a request is about. Throws an RpcFailure, one and the same for what is not there and what is kept back. */
export function subjectOf(
  server: McpServerRecord,
  method: string,
  params: JsonObject,
  isLinked: IsLinked = () => false,
): Subject {
  if (method === 'tools/call') return named(server, 'tool', params.name);
  if (method === 'prompts/get') return named(server, 'prompt', params.name);
  if (method === 'completion/complete') return completed(server, params.ref);
  return resource(server, params.uri, isLinked);
}

function named(server: McpServerRecord, type: 'tool' | 'prompt', name: unknown): Subject {
  const capability = typeof name === 'string' ? server.byPlace.get(placeOf(type, name)) : undefined;
  if (!capability) throw unknown(type, name);
  return { name: capability.key, capability };
}

function resource(server: McpServerRecord, uri: unknown, isLinked: IsLinked): Subject {
  if (typeof uri !== 'string' || uri.length > MAX_URI) throw unknown('resource', uri);
  const capability = server.byPlace.get(placeOf('resource', uri));
  if (capability) return { name: uri, capability };
  if (isKeptBack(server, uri)) throw unknown('resource', uri);
  const template = server.usable.resource_template.find(({ key }) => matches(key, uri));
  if (!template && !isLinked(server, uri)) throw unknown('resource', uri);
  return { name: uri, capability: template ?? null };
}

/** Addresses of a server that callers may not read, in one spelling. */
const keptBack = new WeakMap<ReadonlySet<string>, Set<string>>();

/** Whether an address is that of a resource that is kept back, in whatever spelling: a template would let another one through. */
function isKeptBack(server: McpServerRecord, uri: string): boolean {
  let known = keptBack.get(server.keptBack);
  if (known === undefined) {
    const mark = placeOf('resource', '');
    const addresses = [...server.keptBack].filter((place) => place.startsWith(mark));
    known = new Set(addresses.map((place) => oneSpelling(place.slice(mark.length))));
    keptBack.set(server.keptBack, known);
  }
  return known.has(oneSpelling(uri));
}

/** Times that an address is decoded: servers do it once, and what stands before them may as well. */
const DECODINGS = 3;

function oneSpelling(uri: string): string {
  let text = uri.trim();
  for (let left = DECODINGS; left > 0 && text.includes('%'); left--) text = decoded(text);
  const { protocol, host, pathname, search } = URL.canParse(text)
    ? new URL(text)
    : { protocol: '', host: '', pathname: text, search: '' };
  const path = decoded(pathname)
    .replaceAll('\\', '/')
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/$/, '');
  return `${protocol}//${host}${path}${decoded(search)}`.toLowerCase();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A sign that begins no code stands for itself.
    return text;
  }
}

function completed(server: McpServerRecord, ref: unknown): Subject {
  if (isObject(ref) && ref.type === 'ref/prompt') return named(server, 'prompt', ref.name);
  const uri = isObject(ref) && ref.type === 'ref/resource' ? ref.uri : undefined;
  const capability =
    typeof uri === 'string'
      ? (server.byPlace.get(placeOf('resource_template', uri)) ??
        server.byPlace.get(placeOf('resource', uri)))
      : undefined;
  if (!capability) throw unknown('reference', isObject(ref) ? (ref.name ?? ref.uri) : ref);
  return { name: capability.key, capability };
}

const compiled = new Map<string, RE2JS | null>();
/** Templates that a process remembers. */
const MAX_COMPILED = 5000;

/** Whether an address can be made out of a template (RFC 6570), in time that grows with the address alone. */
function matches(template: string, uri: string): boolean {
  let pattern = compiled.get(template);
  if (pattern === undefined) {
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    pattern = patternOf(template);
    compiled.set(template, pattern);
  }
  return pattern?.matches(uri) ?? false;
}

function patternOf(template: string): RE2JS | null {
  const parts = template.split(/(\{[^{}]*\})/);
  if (parts.length > 100) return null;
  return RE2JS.compile(
    parts.map((part) => (part.startsWith('{') ? expression(part[1]) : RE2JS.quote(part))).join(''),
  );
}

/** What may stand in the place of an expression, by its operator. */
function expression(operator: string | undefined): string {
  if (operator === '+' || operator === '#' || operator === '/' || operator === '?' || operator === '&')
    return '.*';
  return '[^/?#]*';
}
