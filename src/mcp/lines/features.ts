import { isObject, type JsonObject } from '../../lib/json.ts';
import type { McpConfigurations } from '../configurations/index.ts';

/** Extensions that go through without being named by the integration. */
const KNOWN_EXTENSIONS = ['io.modelcontextprotocol/ui'];
/** Long requests of the modern era: goes through where both sides are of it. */
const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
/** The revision of the older era that has long requests. */
const WITH_TASKS = '2025-11-25';

/**
 * The capabilities of a caller that a server gets to see, by what its integration allows; the same object where those are all.
 * `tasks`: long requests go through.
 */
export function shownCapabilities(
  declared: JsonObject,
  configurations: McpConfigurations,
  { tasks } = { tasks: false },
): JsonObject {
  const { client_features: features = {}, extensions = [] } = configurations;
  if (Object.keys(declared).length === 0) return declared;
  const { experimental: _experimental, tasks: _tasks, ...shown } = declared;
  if (features.sampling === false) delete shown.sampling;
  if (features.roots === false) delete shown.roots;
  if (isObject(shown.elicitation)) shown.elicitation = shownElicitation(shown.elicitation, features);
  if (shown.elicitation === null) delete shown.elicitation;
  if (isObject(shown.extensions)) {
    const passing = passingExtensions(extensions, tasks);
    const named = Object.entries(shown.extensions);
    const kept = named.filter(([name]) => passing.has(name));
    if (kept.length < named.length) shown.extensions = Object.fromEntries(kept);
  }
  return isSame(shown, declared) ? declared : shown;
}

const isSame = (one: JsonObject, other: JsonObject): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.keys(one).every((name) => one[name] === other[name]);

function passingExtensions(named: readonly string[], tasks: boolean): Set<string> {
  const passing = new Set([...KNOWN_EXTENSIONS, ...named]);
  if (tasks) passing.add(TASKS_EXTENSION);
  else passing.delete(TASKS_EXTENSION);
  return passing;
}

type Features = NonNullable<McpConfigurations['client_features']>;

/** An empty declaration means forms. */
function shownElicitation(declared: JsonObject, features: Features): JsonObject | null {
  const hasForm = 'form' in declared || !('url' in declared);
  const form = hasForm && features.elicitation_form !== false;
  const url = 'url' in declared && features.elicitation_url !== false;
  if (!form && !url) return null;
  if (form === hasForm && url === 'url' in declared) return declared;
  return { ...(form && { form: declared.form ?? {} }), ...(url && { url: declared.url }) };
}

/** Whether a server may send this request to a caller that has declared these capabilities. */
export function mayAsk(method: unknown, params: unknown, shown: JsonObject): boolean {
  if (method === 'sampling/createMessage') return shown.sampling !== undefined;
  if (method === 'roots/list') return shown.roots !== undefined;
  if (method !== 'elicitation/create' || !isObject(shown.elicitation)) return false;
  const { elicitation } = shown;
  if (!isObject(params) || params.mode !== 'url') return 'form' in elicitation || !('url' in elicitation);
  // A page to which people are sent may not be read by others on its way.
  return 'url' in elicitation && typeof params.url === 'string' && /^https:\/\//i.test(params.url);
}

/**
 * The capabilities of a server that callers of a revision get to see. Changes of lists are told by the gateway itself. `mayMirror`: there
 * is a session of the server behind the caller's.
 */
export function offeredCapabilities(
  declared: JsonObject,
  configurations: McpConfigurations,
  given: { mayMirror: boolean; mayWatch: boolean; version: string },
): JsonObject {
  const offered: JsonObject = {};
  for (const name of ['tools', 'prompts'])
    if (isObject(declared[name])) offered[name] = { listChanged: true };
  if (isObject(declared.resources))
    offered.resources = {
      listChanged: true,
      ...(given.mayWatch && declared.resources.subscribe === true && { subscribe: true }),
    };
  if (isObject(declared.completions)) offered.completions = declared.completions;
  if (isObject(declared.logging) && configurations.client_features?.logging !== false)
    offered.logging = declared.logging;
  const tasks = given.mayMirror && given.version === WITH_TASKS ? offeredTasks(declared.tasks) : null;
  if (tasks) offered.tasks = tasks;
  if (isObject(declared.extensions)) {
    const passing = passingExtensions(configurations.extensions ?? [], given.version > WITH_TASKS);
    const shown = Object.entries(declared.extensions).filter(([name]) => passing.has(name));
    if (shown.length > 0) offered.extensions = Object.fromEntries(shown);
  }
  return offered;
}

/** Calls of tools as tasks; a list of all tasks is not offered, since nothing says whose they are. */
function offeredTasks(declared: unknown): JsonObject | null {
  const { requests, cancel } = isObject(declared) ? declared : {};
  if (!isObject(requests) || !isObject(requests.tools) || !isObject(requests.tools.call)) return null;
  return { ...(isObject(cancel) && { cancel: {} }), requests: { tools: { call: {} } } };
}
