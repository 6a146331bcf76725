import type { GatewayConfig } from './schema.ts';

export const refusedForwardHeaders =
  /^(x-gateway-forward-headers|metadata-flavor|x-aws-ec2-metadata-token|x-google-metadata-request)$/i;

/** Rules that span several keys of one level (section 2.1 and the `_rules` of the administration contract). */
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
      for (const problem of queryProblems(each.query))
        say(`${path}.strategy.conditions[${index}].query`, problem);
    });
    if (plan.default !== undefined && !known.has(plan.default))
      say(`${path}.strategy.default`, `no target is named ${plan.default}`);
    if (plan.mode === 'loadbalance' && targets.every((target) => target.weight === 0)) {
      say(`${path}.targets`, 'at least one weight must be above zero');
    }
  }
  if (config.passthrough && (plan || targets || config.override_params)) {
    say(`${path}.passthrough`, 'passthrough excludes strategy, targets and override_params');
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

const operators = new Set(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$regex']);

/** Mistakes that a condition's query can hold; a malformed query is refused when it is saved (section 2.5). */
function queryProblems(query: Record<string, unknown>): string[] {
  return Object.entries(query).flatMap(([key, value]) => {
    if (key === '$and' || key === '$or') {
      if (!Array.isArray(value)) return [`${key} takes an array of queries`];
      return value.flatMap((item) =>
        isObject(item) ? queryProblems(item) : [`${key} takes an array of queries`],
      );
    }
    if (!/^(metadata|params)\.[^.]+$|^url\.pathname$/.test(key)) {
      return [`${key} is not metadata.<key>, params.<key> or url.pathname`];
    }
    if (!isObject(value)) return [];
    return Object.keys(value)
      .filter((operator) => !operators.has(operator))
      .map((operator) => `${operator} is not an operator`);
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Section 2.2: what a config must have at the least. */
export function hasContent(config: GatewayConfig): boolean {
  if (config.provider) {
    return Boolean(
      config.provider.startsWith('@') ||
        config.api_key ||
        config.custom_host ||
        config.provider === 'ollama' ||
        hasBehaviour(config),
    );
  }
  return Boolean(config.virtual_key || config.targets || hasBehaviour(config));
}

const hasBehaviour = (config: GatewayConfig): boolean =>
  [
    config.retry,
    config.request_timeout,
    config.forward_headers,
    config.passthrough,
    config.default_params,
    config.override_params,
    config.drop_params,
  ].some((member) => member !== undefined && member !== false);
