/** What limits may know of a call, under the names that conditions and groups use. Empty where the call has no such thing. */
export type LimitFacts = {
  api_key: string;
  workspace_id: string;
  organisation_id: string;
  endpoint_type: string;
  /** Slug of a saved config. */
  config: string;
  prompt: string;
  /** As the call asks for it, as `@slug/model` where a provider of the workspace is asked. */
  model: string;
  /** Slug of a provider of the workspace. */
  virtual_key: string;
  /** Kind of provider, e.g. `openai`. */
  provider: string;
  mcp_server: string;
  mcp_tool: string;
  metadata: Readonly<Record<string, string>>;
};

/** How a fact is read. */
export type FactReader = (facts: LimitFacts) => string;

const METADATA = 'metadata.';

/** The facts that a call has before its body is read. */
const knownOnArrival: ReadonlySet<string> = new Set([
  'api_key',
  'workspace_id',
  'organisation_id',
  'endpoint_type',
]);
/** The facts that depend on the target that is asked. A model is named together with its provider. */
const knownAtTarget: ReadonlySet<string> = new Set(['model', 'virtual_key', 'provider']);

/** When enough is known to find a limit: before the body is read, before a target is chosen, or at each target. */
export type LimitStage = 'arrival' | 'call' | 'target';

/** The stage at which a fact is known. */
export function stageOf(key: string): LimitStage {
  if (knownOnArrival.has(key)) return 'arrival';
  return knownAtTarget.has(key) ? 'target' : 'call';
}

/** Whether a caller can make up values of a fact, as many as it likes. */
export const isCallersWord = (key: string): boolean => key === 'model' || key.startsWith(METADATA);

/** Reads a fact; an unknown name is a fact that no call has. */
export function readerOf(key: string): FactReader {
  if (key.startsWith(METADATA)) {
    const name = key.slice(METADATA.length);
    return ({ metadata }) => (Object.hasOwn(metadata, name) ? (metadata[name] ?? '') : '');
  }
  const name = key as Exclude<keyof LimitFacts, 'metadata'>;
  return plainNames.has(key) ? (facts) => facts[name] : () => '';
}

const plainNames: ReadonlySet<string> = new Set([
  'api_key',
  'workspace_id',
  'organisation_id',
  'endpoint_type',
  'config',
  'prompt',
  'model',
  'virtual_key',
  'provider',
  'mcp_server',
  'mcp_tool',
]);

/**
 * The values of conditions that hold for a value of a fact, beside `*`. A model of `@slug/name` is also `@slug/*` and `name`,
 * so that no way of asking for a model is a way around its limits.
 */
export function namesOf(key: string, value: string): readonly string[] {
  if (key !== 'model' || !value.startsWith('@')) return [value];
  const slash = value.indexOf('/');
  return slash < 0 ? [value] : [value, `${value.slice(0, slash)}/*`, value.slice(slash + 1)];
}
