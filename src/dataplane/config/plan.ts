import { allSettings, type Settings } from '../../providers/index.ts';
import type { GatewayConfig, RetryPolicy, Strategy } from './schema.ts';

type Mode = Strategy['mode'];
export type Condition = NonNullable<Strategy['conditions']>[number];

/** Behaviour that flows down from a group to its targets (spec/data-plane.md, section 2.4). */
export type Behaviour = {
  retry: RetryPolicy | null;
  requestTimeout: number | null;
  customHost: string | null;
  forwardHeaders: readonly string[];
  overrideParams: Record<string, unknown> | null;
  defaultParams: Record<string, unknown> | null;
  dropParams: readonly string[];
  strictOpenAiCompliance: boolean;
};

/** A target that is called. */
export type Leaf = Behaviour & {
  kind: 'leaf';
  /** Where it stands, e.g. `config.targets[1]`. */
  path: string;
  /** Its index in its group, 0 at the root. */
  index: number;
  /** The mode of the group it stands in; `single` at the root. */
  mode: Mode;
  /** `@slug` of a catalogue provider or the id of a provider kind; null: the request names it. */
  provider: string | null;
  apiKey: string | null;
  /** Settings of the provider that the config names, such as `aws_region`. */
  settings: Settings;
  passthrough: boolean;
};

/** Targets and the rule that picks among them. */
export type Group = {
  kind: 'group';
  mode: Mode;
  targets: Plan[];
  weights: number[];
  /** Null: every status but 2xx. */
  onStatusCodes: ReadonlySet<number> | null;
  conditions: readonly Condition[];
  byName: ReadonlyMap<string, number>;
  fallbackName: string | null;
};

export type Plan = Leaf | Group;

const NOTHING: Behaviour = {
  retry: null,
  requestTimeout: null,
  customHost: null,
  forwardHeaders: [],
  overrideParams: null,
  defaultParams: null,
  dropParams: [],
  strictOpenAiCompliance: true,
};

/** A config with inheritance worked out once, so that a request only walks it. */
export function planOf(config: GatewayConfig): Plan {
  return planNode(config, NOTHING, { path: 'config', index: 0, mode: 'single' });
}

function planNode(
  config: GatewayConfig,
  parent: Behaviour,
  place: { path: string; index: number; mode: Mode },
): Plan {
  const behaviour = inherit(config, parent);
  const { strategy, targets } = config;
  if (!strategy || !targets) return planLeaf(config, behaviour, place);
  return {
    kind: 'group',
    mode: strategy.mode,
    targets: targets.map((target, index) =>
      planNode(target, behaviour, { path: `${place.path}.targets[${index}]`, index, mode: strategy.mode }),
    ),
    weights: targets.map((target) => target.weight),
    onStatusCodes: strategy.on_status_codes ? new Set(strategy.on_status_codes) : null,
    conditions: strategy.conditions ?? [],
    byName: new Map(
      targets.flatMap((target, index) => (target.name === undefined ? [] : [[target.name, index] as const])),
    ),
    fallbackName: strategy.default ?? null,
  };
}

function planLeaf(
  config: GatewayConfig,
  behaviour: Behaviour,
  place: { path: string; index: number; mode: Mode },
): Leaf {
  return {
    kind: 'leaf',
    ...place,
    ...behaviour,
    provider:
      config.provider ??
      (config.virtual_key === undefined ? null : `@${config.virtual_key.replace(/^@/, '')}`),
    apiKey: config.api_key ?? null,
    settings: settingsOf(config),
    passthrough: config.passthrough ?? false,
  };
}

function settingsOf(config: GatewayConfig): Settings {
  const members = config as Record<string, unknown>;
  const named = [...allSettings.keys()].filter((name) => members[name] !== undefined);
  return Object.fromEntries(named.map((name) => [name, String(members[name])]));
}

function inherit(config: GatewayConfig, parent: Behaviour): Behaviour {
  return {
    retry: config.retry ?? parent.retry,
    requestTimeout: config.request_timeout ?? parent.requestTimeout,
    customHost: config.custom_host ?? parent.customHost,
    forwardHeaders: config.forward_headers?.map((name) => name.toLowerCase()) ?? parent.forwardHeaders,
    overrideParams: merge(parent.overrideParams, config.override_params),
    defaultParams: merge(parent.defaultParams, config.default_params),
    dropParams: config.drop_params ?? parent.dropParams,
    strictOpenAiCompliance: config.strict_open_ai_compliance ?? parent.strictOpenAiCompliance,
  };
}

const merge = (parent: Record<string, unknown> | null, own: Record<string, unknown> | undefined) =>
  own ? { ...parent, ...own } : parent;

/** The plan of a request that carries no config. */
export const emptyPlan: Plan = planNode({ weight: 1 }, NOTHING, { path: 'config', index: 0, mode: 'single' });
