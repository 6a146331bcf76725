import type { Readable } from 'node:stream';
import { GatewayError } from '../errors/index.ts';
import type { Call, RequestBody } from './call.ts';
import type { Leaf } from './config/plan.ts';
import { requireCertain, requireNoOtherModel } from './forms/certain.ts';
import { changedBytes, fieldChanges } from './forms/change.ts';
import type { Form } from './forms/form.ts';
import { streamedForm } from './forms/stream.ts';
import { requireSameModel } from './restricted-models.ts';
import type { Target } from './target.ts';
import { requireWithoutParameters } from './unread-body.ts';

/** A body as it goes upstream: the caller's own bytes, or new ones where the config or the provider's slug changed it. */
export type OutgoingBody = {
  content: Buffer | Readable | null;
  /** The JSON value that `content` spells, when it is JSON. */
  value: Record<string, unknown> | null;
  changed: boolean;
  /** Bytes that a stream has more than the caller announced. */
  growth: number;
  /** Token counts come with the stream that the caller did not ask for. */
  hidesUsage?: true;
};

const unchanged = (content: OutgoingBody['content'], value: OutgoingBody['value'] = null): OutgoingBody => ({
  content,
  value,
  changed: false,
  growth: 0,
});

/** Applies `default_params`, `override_params` and `drop_params`, and takes the `@slug/` off the model. */
export function outgoingBody(call: Call, leaf: Leaf, target: Target): OutgoingBody {
  const { body } = call;
  if (body.kind === 'none') return unchanged(null);
  if (body.kind !== 'json') {
    if (body.form) return formBody(body, body.form, leaf, target);
    if (changesBody(leaf)) requireWithoutParameters(call);
    return unchanged(body.kind === 'stream' ? body.stream : body.bytes);
  }
  const renamed = target.model !== null && target.model !== (leaf.overrideParams?.model ?? body.value.model);
  const restricting = target.record?.restrictsModels ? target.record : null;
  // Where its value decided something, that goes out and not the bytes: of a member that comes twice a provider may take the
  // other one.
  if (!renamed && !restricting && leaf.cache === null && !changesBody(leaf))
    return unchanged(body.bytes, body.value);
  const given = withoutOtherSpellings(body.value, leaf);
  const value: Record<string, unknown> = { ...leaf.defaultParams, ...given, ...leaf.overrideParams };
  if (target.model !== null) value.model = target.model;
  const outgoing = written(value, leaf.dropParams);
  if (restricting) requireSameModel(restricting, outgoing.value, target.model, leaf);
  return outgoing;
}

function written(members: Record<string, unknown>, dropped: readonly string[]) {
  try {
    const value = dropped.length === 0 ? members : dropParams(members, dropped);
    return { content: Buffer.from(JSON.stringify(value)), value, changed: true, growth: 0 };
  } catch (cause) {
    // What the parser takes may be nested more deeply than it can be written again.
    throw new GatewayError('MALFORMED_BODY', { message: 'The request body is nested too deeply.', cause });
  }
}

/** Some providers do not mind the case of a member: in another one, a caller's would stand beside the config's. */
function withoutOtherSpellings(
  members: Record<string, unknown>,
  { overrideParams, dropParams }: Leaf,
): Record<string, unknown> {
  const names = new Set([...Object.keys(overrideParams ?? {}), ...dropParams]);
  if (names.size === 0) return members;
  const plain = new Set([...names].map((name) => name.toLowerCase()));
  return Object.fromEntries(
    Object.entries(members).filter(([name]) => names.has(name) || !plain.has(name.toLowerCase())),
  );
}

/** Whether a config has parameters for the body. */
export const changesBody = ({ overrideParams, defaultParams, dropParams }: Leaf): boolean =>
  overrideParams !== null || defaultParams !== null || dropParams.length > 0;

function formBody(
  body: Extract<RequestBody, { kind: 'bytes' | 'stream' }>,
  form: Form,
  leaf: Leaf,
  { model, record }: Target,
): OutgoingBody {
  const changes = fieldChanges(form, leaf, model);
  const [field] = changes.keys();
  if (field !== undefined) requireCertain(body, form, field);
  if (record?.restrictsModels) requireNoOtherModel(changes);
  if (body.kind === 'stream') {
    const restrictsModels = record?.restrictsModels ?? false;
    return { ...unchanged(null), ...streamedForm(form, body.stream, changes, leaf, restrictsModels) };
  }
  if (changes.size === 0) return unchanged(body.bytes);
  return {
    content: changedBytes(form, changes, body.bytes.length),
    value: null,
    changed: true,
    growth: 0,
  };
}

/** A copy without the members at `a.b`, `a[0].b` or `a[*].b`; paths that lead nowhere are ignored. */
function dropParams(value: Record<string, unknown>, paths: readonly string[]): Record<string, unknown> {
  const copy = structuredClone(value);
  for (const path of paths)
    drop(
      copy,
      [...path.matchAll(/[^.[\]]+/g)].map(([part]) => part),
    );
  return copy;
}

function drop(holder: unknown, [part, ...rest]: string[]): void {
  if (part === undefined || typeof holder !== 'object' || holder === null) return;
  if (part === '*' && Array.isArray(holder)) {
    for (const item of holder) drop(item, rest);
  } else if (Object.hasOwn(holder, part)) {
    const members = holder as Record<string, unknown>;
    if (rest.length === 0) delete members[part];
    else drop(members[part], rest);
  }
}
