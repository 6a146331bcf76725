import type { Readable } from 'node:stream';
import { GatewayError } from '../../errors/index.ts';
import { readsOneWay } from '../../lib/json-text/as-read.ts';
import { spliced } from '../../lib/json-text/splice.ts';
import { withoutMembers } from '../../lib/json-text/without.ts';
import type { Leaf } from '../../routing-config/plan.ts';
import type { Call, RequestBody } from '../call/call.ts';
import { changedBytes, fieldChanges } from '../forms/field-changes.ts';
import type { Form } from '../forms/form.ts';
import { requireCertain, requireNoOtherModel } from '../forms/require-certain.ts';
import { lateCheck, streamedForm } from '../forms/streamed-form.ts';
import type { LegGuardrails } from '../guardrails/leg-guardrails.ts';
import { requireSameModel } from '../target/restricted-models.ts';
import type { Target } from '../target/target.ts';
import {
  type BodyChange,
  bodyChange,
  changedValue,
  changesBody,
  withoutParameters,
} from './body-parameters.ts';
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

/** For whom a body is made. `guards`: null where no guardrail read it. */
type Outgoing = {
  call: Call;
  leaf: Leaf;
  target: Target;
  guards: Pick<LegGuardrails, 'edited' | 'hasParameters'> | null;
};

const unchanged = (content: OutgoingBody['content'], value: OutgoingBody['value'] = null): OutgoingBody => ({
  content,
  value,
  changed: false,
  growth: 0,
});

/** Applies `default_params`, `override_params` and `drop_params`, and takes the `@slug/` off the model. */
export function outgoingBody({ call, leaf, target, guards }: Outgoing): OutgoingBody {
  const own = guards?.hasParameters ? withoutParameters(leaf) : leaf;
  const made = madeBody({ call, leaf: own, target, guards }, guards?.edited ?? call.body);
  return guards?.edited ? { ...made, changed: true } : made;
}

function madeBody({ call, leaf, target, guards }: Outgoing, body: RequestBody): OutgoingBody {
  if (body.kind === 'none') return unchanged(null);
  if (body.kind !== 'json') {
    if (body.form) return formBody(body, body.form, leaf, target);
    if (changesBody(leaf)) requireWithoutParameters(call);
    return unchanged(body.kind === 'stream' ? body.stream : body.bytes);
  }
  return jsonBody(body, { call, leaf, target, guards });
}

type JsonBody = Extract<RequestBody, { kind: 'json' }>;

/** The caller's own bytes around what changes: numbers stay as they are written, and so does everything else. */
function jsonBody(body: JsonBody, { call: { plan }, leaf, target, guards }: Outgoing): OutgoingBody {
  const { model, record } = target;
  const renamed = model !== null && model !== (leaf.overrideParams?.model ?? body.value.model);
  const restricting = record?.restrictsModels ? record : null;
  const decides =
    restricting !== null ||
    guards !== null ||
    leaf.cache !== null ||
    changesBody(leaf) ||
    (plan.kind === 'group' && plan.readsCall);
  if (!renamed && !decides) return unchanged(body.bytes, body.value);
  const change = bodyChange(body.value, leaf, model);
  const isSame = change.members.size === 0 && change.below.length === 0;
  const value = isSame ? body.value : changedValue(body.value, change);
  if (restricting) requireSameModel(restricting, value, model, leaf);
  // Where its value decided something, that goes out and not the bytes: of a member that comes twice a provider may take the
  // other one.
  if (decides && !readsOneWay(body.bytes, body.value))
    return { content: written(value), value, changed: true, growth: 0 };
  if (isSame) return unchanged(body.bytes, value);
  return { content: changedJson(body.bytes, change), value, changed: true, growth: 0 };
}

export function changedJson(json: Buffer, { members, below }: BodyChange): Buffer {
  const texts = new Map<string, string | null>();
  for (const [name, value] of members) texts.set(name, value === undefined ? null : JSON.stringify(value));
  const changed = texts.size === 0 ? json : spliced(json, texts);
  return below.length === 0 ? changed : withoutMembers(changed, below);
}

export function written(value: object): Buffer {
  try {
    return Buffer.from(JSON.stringify(value));
  } catch (cause) {
    // What the parser takes may be nested more deeply than it can be written again.
    throw new GatewayError('MALFORMED_BODY', { message: 'The request body is nested too deeply.', cause });
  }
}

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
    const check = lateCheck(form, leaf, record?.restrictsModels ?? false);
    return { ...unchanged(null), ...streamedForm(form, body.stream, changes, check) };
  }
  if (changes.size === 0) return unchanged(body.bytes);
  return {
    content: changedBytes(form, changes, body.bytes.length),
    value: null,
    changed: true,
    growth: 0,
  };
}
