import { isObject, type JsonObject } from '../../lib/json.ts';
import type { McpConfigurations } from '../configurations/index.ts';

/** Extensions that go through without being named by the integration. */
const KNOWN_EXTENSIONS = ['io.modelcontextprotocol/ui'];

/** The capabilities of a caller that a server gets to see, by what its integration allows. */
export function shownCapabilities(declared: JsonObject, configurations: McpConfigurations): JsonObject {
  const { client_features: features = {}, extensions = [] } = configurations;
  const { experimental: _experimental, tasks: _tasks, ...shown } = declared;
  if (features.sampling === false) delete shown.sampling;
  if (features.roots === false) delete shown.roots;
  if (isObject(shown.elicitation)) shown.elicitation = shownElicitation(shown.elicitation, features);
  if (shown.elicitation === null) delete shown.elicitation;
  if (isObject(shown.extensions)) {
    const passing = new Set([...KNOWN_EXTENSIONS, ...extensions]);
    shown.extensions = Object.fromEntries(
      Object.entries(shown.extensions).filter(([name]) => passing.has(name)),
    );
  }
  return shown;
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

/** The capabilities of a server that callers get to see. Changes of lists are told by the gateway itself. */
export function offeredCapabilities(
  declared: JsonObject,
  configurations: McpConfigurations,
  given: { mayMirror: boolean },
): JsonObject {
  const offered: JsonObject = {};
  for (const name of ['tools', 'prompts'])
    if (isObject(declared[name])) offered[name] = { listChanged: true };
  if (isObject(declared.resources))
    offered.resources = {
      listChanged: true,
      ...(given.mayMirror && declared.resources.subscribe === true && { subscribe: true }),
    };
  if (isObject(declared.completions)) offered.completions = declared.completions;
  if (isObject(declared.logging) && configurations.client_features?.logging !== false)
    offered.logging = declared.logging;
  if (isObject(declared.extensions)) {
    const passing = new Set([...KNOWN_EXTENSIONS, ...(configurations.extensions ?? [])]);
    const shown = Object.entries(declared.extensions).filter(([name]) => passing.has(name));
    if (shown.length > 0) offered.extensions = Object.fromEntries(shown);
  }
  return offered;
}
