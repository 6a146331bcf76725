import { readsOneWay } from '../../lib/json-text/as-read.ts';
import type { Leaf } from '../../routing-config/plan.ts';
import type { RequestBody } from '../call/call.ts';
import { changedBytes, fieldChanges } from '../forms/field-changes.ts';
import { parseForm } from '../forms/form.ts';
import { changedJson, written } from './body.ts';
import { bodyChange, changedValue, changesBody } from './body-parameters.ts';

/** A body with the parameters of a config, before the model is named as the provider knows it; the same where there are none. */
export function withParameters(body: RequestBody, leaf: Leaf): RequestBody {
  if (!changesBody(leaf)) return body;
  if (body.kind === 'json') return jsonWith(body, leaf);
  if (body.kind !== 'bytes' || !body.form) return body;
  const changes = fieldChanges(body.form, leaf, null);
  if (changes.size === 0) return body;
  const bytes = changedBytes(body.form, changes, body.bytes.length);
  return { kind: 'bytes', bytes, form: parseForm(bytes, body.form.boundary) };
}

function jsonWith(body: Extract<RequestBody, { kind: 'json' }>, leaf: Leaf): RequestBody {
  const change = bodyChange(body.value, leaf, null);
  if (change.members.size === 0 && change.below.length === 0) return body;
  const value = changedValue(body.value, change);
  const bytes = readsOneWay(body.bytes, body.value) ? changedJson(body.bytes, change) : written(value);
  return { kind: 'json', bytes, value };
}
