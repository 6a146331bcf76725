/** A config as it is drawn: groups that hold targets, which may be groups. */
export type Node = {
  /** As the graph names it, e.g. `config.targets[1]`. */
  path: string;
  /** How the group chooses; null for a target, which calls a provider. */
  mode: string | null;
  /** What the group does beside choosing, or what the target asks for, in a few words. */
  notes: string[];
  label: string;
  children: Node[];
};

type Plain = Record<string, unknown>;

const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The tree of a config; what is no config yet is a target that says nothing. */
export function treeOf(value: unknown, path = 'config'): Node {
  const config = isPlain(value) ? value : {};
  const targets = Array.isArray(config.targets) ? config.targets : [];
  const strategy = isPlain(config.strategy) ? config.strategy : {};
  const mode = targets.length > 0 ? String(strategy.mode ?? 'single') : null;
  return {
    path,
    mode,
    label: mode ?? labelOf(config),
    notes: notesOf(config, strategy),
    children: targets.map((target, index) => treeOf(target, `${path}.targets[${index}]`)),
  };
}

function labelOf({ provider, virtual_key: key, name }: Plain): string {
  const target = provider ?? key;
  return typeof target === 'string' ? target : typeof name === 'string' ? name : 'as the call says';
}

function notesOf(config: Plain, strategy: Plain): string[] {
  const { override_params: params, retry, cache, weight, name } = config;
  const { on_status_codes: codes, default: usual } = strategy;
  const model = isPlain(params) ? params.model : undefined;
  return [
    typeof model === 'string' ? model : null,
    typeof name === 'string' ? `named ${name}` : null,
    typeof weight === 'number' ? `weight ${weight}` : null,
    isPlain(retry) && retry.attempts ? `retry ${retry.attempts}` : null,
    isPlain(cache) ? `cache ${cache.mode ?? 'on'}` : null,
    Array.isArray(codes) ? `on ${codes.join(', ')}` : null,
    typeof usual === 'string' ? `else ${usual}` : null,
  ].filter((note) => note !== null);
}

const placesIn = (path: string): number[] =>
  [...path.matchAll(/targets\[(\d+)\]/g)].map(([, index]) => Number(index));

const targetsOf = (node: Plain): unknown[] => (Array.isArray(node.targets) ? node.targets : []);

/** What stands in a config at the path of a node. */
export function partAt(config: unknown, path: string): Plain {
  const found = placesIn(path).reduce<unknown>(
    (part, index) => (isPlain(part) ? targetsOf(part)[index] : undefined),
    config,
  );
  return isPlain(found) ? found : {};
}

/** The config with another part at the path of a node. */
export function withPart(config: unknown, path: string, part: object): unknown {
  const replaced = (node: unknown, [first, ...rest]: number[]): unknown => {
    if (first === undefined) return part;
    if (!isPlain(node)) return node;
    const targets = targetsOf(node).map((target, at) => (at === first ? replaced(target, rest) : target));
    return { ...node, targets };
  };
  return replaced(config, placesIn(path));
}

/** A config as it stands in the editor. */
export const textOf = (config: unknown): string => `${JSON.stringify(config, null, 2)}\n`;

/** What the text says; undefined for what is no JSON. */
export function configIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
