import type { Leaf } from '../../routing-config/plan.ts';

type Members = Record<string, unknown>;

/** Whether a config has parameters for the body. */
export const changesBody = ({ overrideParams, defaultParams, dropParams }: Leaf): boolean =>
  overrideParams !== null || defaultParams !== null || dropParams.length > 0;

/** A leaf whose parameters a body has already; the model stays named, since what is allowed depends on it. */
export function withoutParameters(leaf: Leaf): Leaf {
  const { overrideParams } = leaf;
  const model =
    overrideParams && Object.hasOwn(overrideParams, 'model') ? { model: overrideParams.model } : null;
  return { ...leaf, overrideParams: model, defaultParams: null, dropParams: [] };
}

/** The parts of a path such as `a.b`, `a[0].b` or `a[*].b`. */
const partsOf = (path: string): string[] => [...path.matchAll(/[^.[\]]+/g)].map(([part]) => part);

/** What becomes of the members of a body: new values and, as undefined, those that go; and what goes further down. */
export type BodyChange = { members: Map<string, unknown>; below: string[][] };

/** What `default_params`, `override_params` and `drop_params` change, and a model without its `@slug/`; null keeps the model. */
export function bodyChange(given: Members, leaf: Leaf, model: string | null): BodyChange {
  const members = new Map<string, unknown>();
  if (changesBody(leaf)) addParameters(members, given, leaf);
  if (model !== null && model !== (members.has('model') ? members.get('model') : given.model))
    members.set('model', model);
  const below: string[][] = [];
  for (const path of leaf.dropParams) {
    const [name, ...rest] = partsOf(path);
    if (name === undefined) continue;
    if (rest.length > 0) below.push([name, ...rest]);
    else if (members.has(name) || Object.hasOwn(given, name)) members.set(name, undefined);
  }
  return { members, below };
}

function addParameters(members: Map<string, unknown>, given: Members, leaf: Leaf): void {
  const { overrideParams, defaultParams } = leaf;
  for (const name of otherSpellings(given, leaf)) members.set(name, undefined);
  for (const name in defaultParams)
    if (members.has(name) || !Object.hasOwn(given, name)) members.set(name, defaultParams[name]);
  for (const name in overrideParams) members.set(name, overrideParams[name]);
}

/** Some providers do not mind the case of a member: in another one, a caller's would stand beside the config's. */
function otherSpellings(given: Members, { overrideParams, dropParams }: Leaf): string[] {
  const names = new Set([...Object.keys(overrideParams ?? {}), ...dropParams]);
  if (names.size === 0) return [];
  const plain = new Set([...names].map((name) => name.toLowerCase()));
  return Object.keys(given).filter((name) => !names.has(name) && plain.has(name.toLowerCase()));
}

/** A copy of a body after the change. */
export function changedValue(given: Members, { members, below }: BodyChange): Members {
  let value: Members = { ...given };
  for (const [name, member] of members) {
    if (member === undefined) delete value[name];
    else value[name] = member;
  }
  for (const path of below) value = without(value, path) as Members;
  return value;
}

/** A copy without the member at a path; the same where it leads nowhere. */
function without(holder: unknown, path: readonly string[]): unknown {
  const [part, ...rest] = path;
  if (part === undefined || typeof holder !== 'object' || holder === null) return holder;
  if (Array.isArray(holder)) {
    if (part === '*') return rest.length === 0 ? holder : holder.map((item) => without(item, rest));
    const index = Number(part);
    if (!Number.isInteger(index) || index >= holder.length) return holder;
    return holder.with(index, rest.length === 0 ? null : without(holder[index], rest));
  }
  if (!Object.hasOwn(holder, part)) return holder;
  const { [part]: member, ...others } = holder as Members;
  return rest.length === 0 ? others : { ...holder, [part]: without(member, rest) };
}
