import { hash } from 'node:crypto';
import { canonicalText } from '../lib/canonical.ts';
import { allSettings, type ProviderSettings } from '../providers/index.ts';
import { type FactLookup, lookupOf } from './facts.ts';
import { type PlannedGuardrail, plannedGuardrails } from './guardrails.ts';
import type { CachePolicy, CircuitBreaker, RetryPolicy, Strategy } from './parts.ts';
import { compileQuery, type Test } from './query.ts';
import { STICKY_DEPTH } from './rules.ts';
import type { GatewayConfig } from './schema.ts';
import { configWithoutSecrets } from './secret-keys.ts';

type Mode = Strategy['mode'];

/** Behaviour that flows down from a group to its targets. */
type Behaviour = {
  retry: RetryPolicy | null;
  cache: CachePolicy | null;
  requestTimeout: number | null;
  customHost: string | null;
  /** The path of the key in the config, e.g. `config.custom_host`. */
  customHostAt: string | null;
  forwardHeaders: readonly string[];
  overrideParams: Record<string, unknown> | null;
  defaultParams: Record<string, unknown> | null;
  dropParams: readonly string[];
  strictOpenAiCompliance: boolean;
  breaker: CircuitBreaker | null;
  /** Null where the config says nothing of them. */
  inputGuardrails: readonly PlannedGuardrail[] | null;
  outputGuardrails: readonly PlannedGuardrail[] | null;
};

/** A target that is called. */
export type Leaf = Behaviour & {
  kind: 'leaf';
  /** Its path in the config, e.g. `config.targets[1]`. */
  path: string;
  /** Its index in its group, 0 at the root. */
  index: number;
  /** The mode of the group it stands in; `single` at the root. */
  mode: Mode;
  /** `@slug` of a catalogue provider or the id of a provider kind; null: the request names it. */
  provider: string | null;
  /** The key by which the config names it. */
  providerKey: 'provider' | 'virtual_key';
  apiKey: string | null;
  /** Settings of the provider that the config names, such as `aws_region`. */
  settings: ProviderSettings;
  passthrough: boolean;
  /**
   * At the root of a config: lists the catalogue of the providers that the config names instead of calling one of
   * them.
   */
  fetchIntegratedModels: boolean;
};

/** Targets and the rule that picks among them. */
export type TargetGroup = {
  kind: 'group';
  path: string;
  mode: Mode;
  targets: Plan[];
  /** 0, 1, 2, …: every target's place in the list. */
  places: readonly number[];
  weights: readonly number[];
  sticky: Sticky | null;
  /** The statuses after which the next target is tried; null for every status but 2xx. */
  onStatusCodes: ReadonlySet<number> | null;
  conditions: readonly Condition[];
  byName: ReadonlyMap<string, number>;
  fallbackName: string | null;
  /** True when the circuit breaker may take some target below out. */
  hasBreakers: boolean;
  /** True when the request itself decides which target is called. */
  readsCall: boolean;
  fetchIntegratedModels: boolean;
};

/** A condition and the name of its target; a malformed query has no test. */
export type Condition = { test: Test | null; then: string };

/** How a group keeps callers at the target that they were given first. */
export type Sticky = {
  fields: readonly FactLookup[];
  /** Milliseconds for which a caller keeps its target. */
  ttl: number;
  /** One identity for each target, which stays the same when the list is reordered: its name, or a digest of its config without credentials. */
  identities: readonly string[];
};

export type Plan = Leaf | TargetGroup;

const NOTHING: Behaviour = {
  retry: null,
  cache: null,
  requestTimeout: null,
  customHost: null,
  customHostAt: null,
  forwardHeaders: [],
  overrideParams: null,
  defaultParams: null,
  dropParams: [],
  strictOpenAiCompliance: true,
  breaker: null,
  inputGuardrails: null,
  outputGuardrails: null,
};

type Place = Pick<Leaf, 'path' | 'index' | 'mode'>;

const ROOT: Place = { path: 'config', index: 0, mode: 'single' };

/** A config with inheritance worked out once, so that a request only walks it. */
export const planOf = (config: GatewayConfig): Plan => planNode(config, NOTHING, ROOT);

function planNode(config: GatewayConfig, parent: Behaviour, place: Place): Plan {
  const behaviour = inherit(config, parent, place.path);
  const { strategy, targets } = config;
  if (!strategy || !targets) return planLeaf(config, behaviour, place);
  const { mode } = strategy;
  const inherited = { ...behaviour, breaker: strategy.cb_config ?? behaviour.breaker };
  const plans = targets.map((target, index) =>
    planNode(target, inherited, { path: `${place.path}.targets[${index}]`, index, mode }),
  );
  return {
    kind: 'group',
    path: place.path,
    mode,
    targets: plans,
    places: targets.map((_target, index) => index),
    weights: targets.map((target) => target.weight),
    sticky: strategy.sticky?.enabled ? stickyOf(strategy.sticky, targets) : null,
    onStatusCodes: strategy.on_status_codes ? new Set(strategy.on_status_codes) : null,
    conditions: (strategy.conditions ?? []).map(({ query, then }) => ({
      test: compileQuery(query).test,
      then,
    })),
    byName: new Map(
      targets.flatMap((target, index) => (target.name === undefined ? [] : [[target.name, index] as const])),
    ),
    fallbackName: strategy.default ?? null,
    readsCall: mode === 'conditional' || plans.some((plan) => plan.kind === 'group' && plan.readsCall),
    hasBreakers: plans.some((plan) => (plan.kind === 'leaf' ? plan.breaker !== null : plan.hasBreakers)),
    fetchIntegratedModels: config.fetch_integrated_models ?? false,
  };
}

function planLeaf(config: GatewayConfig, behaviour: Behaviour, place: Place): Leaf {
  return {
    kind: 'leaf',
    ...place,
    ...behaviour,
    provider:
      config.provider ??
      (config.virtual_key === undefined ? null : `@${config.virtual_key.replace(/^@/, '')}`),
    providerKey:
      config.provider === undefined && config.virtual_key !== undefined ? 'virtual_key' : 'provider',
    apiKey: config.api_key ?? null,
    settings: settingsOf(config),
    passthrough: config.passthrough ?? false,
    fetchIntegratedModels: config.fetch_integrated_models ?? false,
  };
}

function settingsOf(config: GatewayConfig): ProviderSettings {
  const members = config as Record<string, unknown>;
  const named = [...allSettings.keys()].filter((name) => members[name] !== undefined);
  return Object.fromEntries(named.map((name) => [name, String(members[name])]));
}

function stickyOf({ hash_fields, ttl }: NonNullable<Strategy['sticky']>, targets: GatewayConfig[]): Sticky {
  const lookups = hash_fields.map((field) => lookupOf(field, STICKY_DEPTH));
  const seen = new Map<string, number>();
  const identities = targets.map((target) => {
    const own = target.name ?? hash('sha256', canonicalText(configWithoutSecrets(target))).slice(0, 32);
    const count = seen.get(own) ?? 0;
    seen.set(own, count + 1);
    // Targets that differ only in their credential are told apart by their order.
    return count === 0 ? own : `${own}#${count}`;
  });
  return { fields: lookups.filter((lookup) => typeof lookup === 'function'), ttl: ttl * 1000, identities };
}

function inherit(config: GatewayConfig, parent: Behaviour, path: string): Behaviour {
  return {
    retry: config.retry ?? parent.retry,
    cache: config.cache ?? parent.cache,
    requestTimeout: config.request_timeout ?? parent.requestTimeout,
    customHost: config.custom_host ?? parent.customHost,
    customHostAt: config.custom_host === undefined ? parent.customHostAt : `${path}.custom_host`,
    forwardHeaders: config.forward_headers?.map((name) => name.toLowerCase()) ?? parent.forwardHeaders,
    overrideParams: merge(parent.overrideParams, config.override_params),
    defaultParams: merge(parent.defaultParams, config.default_params),
    dropParams: config.drop_params ?? parent.dropParams,
    strictOpenAiCompliance: config.strict_open_ai_compliance ?? parent.strictOpenAiCompliance,
    breaker: config.cb_config ?? parent.breaker,
    inputGuardrails: plannedGuardrails(config, 'input') ?? parent.inputGuardrails,
    outputGuardrails: plannedGuardrails(config, 'output') ?? parent.outputGuardrails,
  };
}

/** Every target that may be called, in the order of the config. */
export const leavesOf = (plan: Plan): Leaf[] =>
  plan.kind === 'leaf' ? [plan] : plan.targets.flatMap(leavesOf);

/** How many parameters a plan has; a parameter counts at every target that has it. */
export const inheritedParams = (plan: Plan): number =>
  plan.kind === 'group'
    ? plan.targets.reduce((sum, target) => sum + inheritedParams(target), 0)
    : Object.keys({ ...plan.overrideParams }).length + Object.keys({ ...plan.defaultParams }).length;

const merge = (parent: Record<string, unknown> | null, own: Record<string, unknown> | undefined) =>
  own ? { ...parent, ...own } : parent;

/** The plan of a request that carries no config. */
export const emptyPlan: Leaf = planLeaf({ weight: 1 }, NOTHING, ROOT);
