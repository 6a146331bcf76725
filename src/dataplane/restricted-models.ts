import { GatewayError } from '../errors/index.ts';
import { isObject } from '../lib/json.ts';
import type { Provider } from '../providers/index.ts';
import { modelInPath } from '../recording/asked-for.ts';
import type { Call } from './call.ts';
import type { Leaf } from './config/plan.ts';
import type { ModelRecord, ProviderRecord } from './directory.ts';
import { isLikeModel, requireCertainModel } from './forms/certain.ts';
import { modelsInQuery } from './model-query.ts';
import { lacksModel } from './requested-model.ts';

/**
 * What a provider's catalogue entry says of the model that a call asks for; null when it says nothing. Throws FORBIDDEN for
 * a model that is not enabled, wherever the request, as it will be sent, names it: in the body after the config's
 * parameters, in the path or in the query. `model`: what the body is given to say.
 */
export function allowedModel(
  record: ProviderRecord,
  provider: Provider,
  model: string | null,
  leaf: Leaf,
  call: Call,
): ModelRecord | null {
  if (!record.restrictsModels) return model === null ? null : (record.models.get(model) ?? null);
  const { body } = call;
  const bytes = body.kind === 'bytes' || body.kind === 'stream' ? body : null;
  if (bytes?.form) {
    requireCertainModel(bytes, bytes.form);
    if (!record.allowAllModels && leaf.dropParams.includes('model')) throw unshown(record);
  }
  const isUnread = bytes?.form === null;
  // A config's default fills a body.
  const asked = body.kind === 'none' ? model : namedIn(model, leaf);
  const inBody = isUnread ? null : asked;
  const inPath = modelsInPath(call.path);
  // That of a session stands for the body's, and is written anew.
  const inQuery = call.route.endpoint === 'realtime' ? [] : modelsInQuery(call.query);
  if (inBody !== null) requireEnabled(record, inBody, placeOfModel(leaf, call));
  for (const named of [...inPath, ...inQuery]) requireEnabled(record, named, 'model');
  if (isUnread && inPath.length === 0) throw unshown(record);
  // What the body calls a model may be none to this provider.
  const isOwnPath = provider.hasOwnPlacesOfModels === true && call.route.endpoint === 'proxy';
  if (isOwnPath && body.kind !== 'none' && inPath.length === 0) throw unshown(record);
  if (inBody === null && inPath.length === 0) requireModelless(record, call);
  return record.models.get(inBody ?? inPath[0] ?? '') ?? null;
}

/**
 * Throws for a JSON body, as it will be sent, that may ask for another model than the one that was allowed: providers differ
 * in whether they mind the case of a member, and some take a list of models to fall back on.
 */
export function requireSameModel(
  record: ProviderRecord,
  sent: Record<string, unknown>,
  model: string | null,
  leaf: Leaf,
): void {
  const allowed = namedIn(model, leaf);
  for (const name of Object.keys(sent)) {
    if (!isLikeModel(name) || (name === 'model' && (sent.model ?? null) === allowed)) continue;
    throw new GatewayError('VALIDATION_FAILED', {
      message: `The models of @${record.slug} are restricted: the body names one model, as a text in the member model.`,
      param: 'model',
    });
  }
  if (allowed !== null && !record.allowAllModels && sent.model === undefined) throw unshown(record);
  if (Array.isArray(sent.models))
    for (const named of sent.models) requireEnabled(record, String(named), 'models');
  for (const [place, named] of furtherModels(sent)) requireEnabled(record, String(named), place);
  // The models of a batch are then in a file that the provider has.
  if (sent.input_file_id !== undefined) throw unshown(record);
}

/** Models that a body names beside `model`: of a batch of messages, of a realtime session, of a tool that is a model, by id. */
function furtherModels(sent: Members): [place: string, model: string][] {
  const { requests, session, tools } = sent;
  const listed = (name: string, list: unknown, of: (item: unknown) => unknown[]): [string, string][] =>
    Array.isArray(list)
      ? list.flatMap((item, index) => of(item).map((model) => placed(`${name}[${index}]`, model)))
      : [];
  return [
    ...listed('requests', requests, (item) =>
      isObject(item) ? [...modelsOf(item.params), ...modelsOf(item.body)] : [],
    ),
    ...listed('tools', tools, modelsOf),
    ...modelsOf(session).map((model) => placed('session', model)),
    ...Object.entries(sent).flatMap(([name, model]): [string, string][] =>
      isModelId(name) && model !== null ? [[name, String(model)]] : [],
    ),
  ];
}

/** Amazon's and others' word for it, in JSON of their own. */
const isModelId = (name: string): boolean => /^model_?id$/i.test(name);

type Members = Record<string, unknown>;

const placed = (place: string, model: unknown): [string, string] => [`${place}.model`, String(model)];

/** A member whose name differs from `model` in its case is one to some providers. */
const modelsOf = (value: unknown): unknown[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, model]) => (isLikeModel(name) && model !== null ? [model] : []))
    : [];

const namedIn = (model: string | null, { defaultParams }: Leaf): string | null =>
  model ?? (typeof defaultParams?.model === 'string' ? defaultParams.model : null);

/** As the path is written and as it is meant: providers decode it before or after they look for the model. */
function modelsInPath(path: string): string[] {
  const found = [modelInPath(path), modelInPath(decoded(path))];
  return [...new Set(found.flatMap((model) => (model === null ? [] : [decoded(model)])))];
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (cause) {
    throw new GatewayError('VALIDATION_FAILED', {
      message: 'The path is not valid.',
      param: 'path',
      cause,
    });
  }
}

/** Whose word the model of the outgoing body is. */
function placeOfModel({ path, overrideParams }: Leaf, call: Call): string {
  if (typeof overrideParams?.model === 'string') return `${path}.override_params.model`;
  return lacksModel(call) ? `${path}.default_params.model` : 'model';
}

function requireEnabled(record: ProviderRecord, model: string, place: string): void {
  const found = record.models.get(model);
  if (found ? found.enabled : record.allowAllModels && !isDisabled(record, model)) return;
  const see = place === 'model' ? '' : `: see ${place}`;
  throw new GatewayError('FORBIDDEN', {
    message: `The model ${model.slice(0, 200)} is not enabled on @${record.slug}${see}.`,
    param: place,
  });
}

/** Some providers mind neither the case of a model nor the space around it. */
function isDisabled({ models }: ProviderRecord, model: string): boolean {
  const plain = model.trim().toLowerCase();
  for (const [slug, { enabled }] of models) if (!enabled && slug.toLowerCase() === plain) return true;
  return false;
}

/** What shows no model may ask for none, or for one that the provider chooses. */
function requireModelless(record: ProviderRecord, { body }: Call): void {
  if (body.kind !== 'none' && (!record.allowAllModels || body.kind === 'stream')) throw unshown(record);
}

const unshown = (record: ProviderRecord) =>
  new GatewayError('FORBIDDEN', {
    message: `The models of @${record.slug} are restricted, and the request does not show which it asks for: name it in JSON, or in a form before the first file, on a path whose format the gateway knows.`,
    param: 'model',
  });
