import { standsAlone } from '../providers/index.ts';
import { lookupOf } from './facts.ts';
import { hasGuardrails } from './guardrails.ts';
import { compileQuery } from './query.ts';
import type { GatewayConfig } from './schema.ts';

export const refusedForwardHeaders =
  /^(x-gateway-forward-headers|metadata-flavor|x-aws-ec2-metadata-token|x-google-metadata-request)$/i;

/** Segments that may follow the first in a sticky field, such as `params.metadata.user_id`. */
export const STICKY_DEPTH = 8;

/** Rules that span several keys of one level. */
export function structureProblems(config: GatewayConfig, path: string): string[] {
  const problems: string[] = [];
  const say = (at: string, message: string) => problems.push(`path: ${at}, message: ${message}`);
  const { strategy: plan, targets } = config;
  if (targets && !plan) say(`${path}.strategy`, 'targets need a strategy');
  if (plan && !targets) say(`${path}.targets`, `mode ${plan.mode} requires targets`);
  if (plan && targets) {
    const names = targets.map((target) => target.name).filter((name) => name !== undefined);
    if (new Set(names).size !== names.length) say(`${path}.targets`, 'target names must be unique');
    const known = new Set(names);
    plan.conditions?.forEach((each, index) => {
      if (!known.has(each.then))
        say(`${path}.strategy.conditions[${index}].then`, `no target is named ${each.then}`);
    });
    if (plan.default !== undefined && !known.has(plan.default))
      say(`${path}.strategy.default`, `no target is named ${plan.default}`);
    if (plan.mode === 'loadbalance' && targets.every((target) => target.weight === 0)) {
      say(`${path}.targets`, 'at least one weight must be above zero');
    }
    plan.sticky?.hash_fields.forEach((field, index) => {
      const lookup = lookupOf(field, STICKY_DEPTH);
      if (typeof lookup !== 'function') say(`${path}.strategy.sticky.hash_fields[${index}]`, lookup.problem);
    });
  }
  if (config.fetch_integrated_models !== undefined && path !== 'config')
    say(`${path}.fetch_integrated_models`, 'only the config itself takes this key');
  if (config.passthrough && (plan || targets || config.override_params || hasGuardrails(config))) {
    say(`${path}.passthrough`, 'passthrough excludes strategy, targets, override_params and guardrails');
  }
  config.forward_headers?.forEach((name, index) => {
    if (refusedForwardHeaders.test(name))
      say(`${path}.forward_headers[${index}]`, `${name} may not be forwarded`);
  });
  for (const [index, target] of (targets ?? []).entries()) {
    problems.push(...structureProblems(target, `${path}.targets[${index}]`));
  }
  return problems;
}

/** The most parameters that a config may have; a parameter counts at every target that inherits it. */
export const MAX_INHERITED_PARAMS = 10_000;

/** How many parameters the targets of a config have, inherited ones included: each target gets its own copy. */
export function countParams({ targets, ...own }: GatewayConfig, above = 0): number {
  const here = above + sizeOf(own.override_params) + sizeOf(own.default_params);
  return targets ? targets.reduce((sum, target) => sum + countParams(target, here), 0) : here;
}

const sizeOf = (params: object | undefined): number => (params ? Object.keys(params).length : 0);

/** Mistakes in the queries of conditions, at any level. */
export function conditionProblems({ strategy, targets }: GatewayConfig, path: string): string[] {
  const own = (strategy?.conditions ?? []).flatMap(({ query }, index) =>
    compileQuery(query).problems.map(
      (problem) => `path: ${path}.strategy.conditions[${index}].query, message: ${problem}`,
    ),
  );
  const below = (targets ?? []).flatMap((target, index) =>
    conditionProblems(target, `${path}.targets[${index}]`),
  );
  return [...own, ...below];
}

/** Refuses an `api_key` without a provider beside it: each request could otherwise choose who is sent the key. */
export function looseKeyProblems(config: GatewayConfig, path: string): string[] {
  const { targets, api_key: key, provider, virtual_key: virtualKey } = config;
  const below = (targets ?? []).flatMap((target, index) =>
    looseKeyProblems(target, `${path}.targets[${index}]`),
  );
  if (targets || key === undefined || provider !== undefined || virtualKey !== undefined) return below;
  return [`path: ${path}.api_key, message: a saved api_key needs the provider beside it`];
}

/** Whether a config says anything: a provider that can be called, targets, or some behaviour. */
export function hasContent(config: GatewayConfig): boolean {
  const { provider } = config;
  if (config.virtual_key || config.targets || hasBehaviour(config)) return true;
  if (provider && (provider.startsWith('@') || config.api_key || config.custom_host)) return true;
  const members = config as Record<string, unknown>;
  return standsAlone(provider ?? null, (setting) => members[setting] !== undefined);
}

const hasBehaviour = (config: GatewayConfig): boolean =>
  hasGuardrails(config) ||
  [
    config.cache,
    config.retry,
    config.request_timeout,
    config.forward_headers,
    config.passthrough,
    config.default_params,
    config.override_params,
    config.drop_params,
  ].some((member) => member !== undefined && member !== false);
