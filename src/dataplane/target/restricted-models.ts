import type { ModelRecord, ProviderRecord } from '../../directory/memory.ts';
import { GatewayError } from '../../errors/index.ts';
import { findProvider, headerOfSetting, isPassedOn, type Provider } from '../../providers/index.ts';
import { modelInPath } from '../../providers/native-api.ts';
import type { Leaf } from '../../routing-config/plan.ts';
import type { Call } from '../call/call.ts';
import { isLikeModel, requireCertainModel } from '../forms/require-certain.ts';
import type { UpstreamHeaders } from '../send/upstream.ts';
import { modelsInBody } from './model-members.ts';
import { modelsInQuery } from './model-query.ts';
import type { Naming } from './named-provider.ts';
import { lacksModel } from './requested-model.ts';
import type { Target } from './target.ts';

/**
 * What a provider's catalogue entry says of the model that a call asks for; null when it says nothing. Throws FORBIDDEN for
 * a model that is not enabled, wherever the request, as it will be sent, names it: in the body after the config's
 * parameters, in the path or in the query.
 */
export function allowedModel(
  record: ProviderRecord,
  provider: Provider,
  { named: { model }, leaf, call }: Naming,
): ModelRecord | null {
  if (!record.restrictsModels) {
    const inPath = call.route.unified ? null : modelInPath(call.path);
    if (inPath !== null) return modelOf(record, inPath);
    return model === null ? null : (record.models.get(model) ?? null);
  }
  const { body } = call;
  const bytes = body.kind === 'bytes' || body.kind === 'stream' ? body : null;
  if (bytes?.form) {
    requireCertainModel(bytes, bytes.form);
    if (!record.allowAllModels && leaf.dropParams.includes('model')) throw unshown(record);
  }
  const isUnread = bytes?.form === null;
  // A config's default model becomes part of a body, so that it means nothing to a request without one.
  const asked = body.kind === 'none' ? model : namedIn(model, leaf);
  const inBody = isUnread ? null : asked;
  const inPath = modelsInPath(call.path);
  // The query of a realtime session names the model in place of a body, and the gateway writes that query itself.
  const inQuery = call.route.endpoint === 'realtime' ? [] : modelsInQuery(call.query);
  if (inBody !== null) requireEnabled(record, inBody, placeOfModel(leaf, call));
  for (const named of [...inPath, ...inQuery]) requireEnabled(record, named, 'model');
  if (isUnread && inPath.length === 0) throw unshown(record);
  if (isOwnPath(provider, call) && body.kind !== 'none' && inPath.length === 0) throw unshown(record);
  if (inBody === null && inPath.length === 0) requireModelless(record, call);
  return modelOf(record, inPath[0] ?? inBody ?? '');
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
    throw notText(record, 'model');
  }
  if (allowed !== null && !record.allowAllModels && sent.model === undefined) throw unshown(record);
  for (const [place, named] of modelsInBody(sent)) {
    if (typeof named !== 'string') throw notText(record, place);
    requireEnabled(record, named, place);
  }
  // The requests of a batch, and with them its models, are in a file at the provider.
  if (sent.input_file_id !== undefined) throw unshown(record);
}

/** Throws FORBIDDEN for headers, or settings that become headers, by which the request or its config asks for another model. */
export function requireModelsInHeaders(
  { record, provider, credential }: Target,
  leaf: Leaf,
  headers: UpstreamHeaders,
): void {
  if (!record?.restrictsModels || !provider.modelHeaders) return;
  for (const [header, setting] of Object.entries(provider.modelHeaders)) {
    requireAllEnabled(record, headers[header], header);
    const chosen = credential.settings[setting];
    if (chosen === record.credential.settings[setting]) continue;
    const isInConfig = leaf.settings[setting] !== undefined;
    requireAllEnabled(record, chosen, isInConfig ? `${leaf.path}.${setting}` : headerOfSetting(setting));
  }
}

/** Where a header came more than once, the provider may take any of its values, so that each has to be allowed. */
function requireAllEnabled(
  record: ProviderRecord,
  value: string | string[] | undefined,
  place: string,
): void {
  if (value === undefined) return;
  for (const model of String(value).split(',')) requireEnabled(record, model.trim(), place);
}

/** Whether the provider may find its model elsewhere than in the body's member `model`, in a format that the gateway does not know. */
const isOwnPath = (provider: Provider, { route: { endpoint, unified } }: Call): boolean =>
  provider.nativeApi?.hidesModels === true &&
  isPassedOn(endpoint) &&
  !(unified && provider.dialects?.[endpoint]);

const namedIn = (model: string | null, { defaultParams }: Leaf): string | null =>
  model ?? (typeof defaultParams?.model === 'string' ? defaultParams.model : null);

/** As the path is written and as it is meant: providers may decode it, or merge its slashes, before they look for the model. */
function modelsInPath(path: string): string[] {
  const meant = decoded(path);
  const found = [path, meant, mergedSlashes(path), mergedSlashes(meant)].map(modelInPath);
  return [...new Set(found.flatMap((model) => (model === null ? [] : [decoded(model)])))];
}

const mergedSlashes = (path: string): string => path.replace(/\/{2,}/g, '/');

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (cause) {
    throw new GatewayError('VALIDATION_FAILED', {
      message: 'The path is not percent-encoded UTF-8.',
      param: 'path',
      cause,
    });
  }
}

/** What named the model of the outgoing body: a parameter of the config, or the member `model` of the request. */
function placeOfModel({ path, overrideParams }: Leaf, call: Call): string {
  if (typeof overrideParams?.model === 'string') return `${path}.override_params.model`;
  return lacksModel(call) ? `${path}.default_params.model` : 'model';
}

function requireEnabled(record: ProviderRecord, model: string, place: string): void {
  const found = modelOf(record, model);
  if (found ? found.enabled : record.allowAllModels && !isDisabled(record, model)) return;
  const see = place === 'model' ? '' : `: see ${place}`;
  throw new GatewayError('FORBIDDEN', {
    message: `The model ${model.slice(0, 200)} is not enabled on @${record.slug}${see}.`,
    param: place,
  });
}

/** By its name or, where the provider has such, as a resource. */
function modelOf({ models, aiProviderId }: ProviderRecord, model: string): ModelRecord | null {
  const found = models.get(model);
  if (found) return found;
  const kind = findProvider(aiProviderId)?.modelKinds?.find((each) => model.startsWith(each)) ?? '';
  return models.get(model.slice(kind.length)) ?? null;
}

const withoutKind = (model: string): string => model.replace(/^(?:models|endpoints)\//, '');

/** Some providers mind neither the case of a model, nor the space around it, nor whether it is named as a resource. */
function isDisabled({ models }: ProviderRecord, model: string): boolean {
  const plain = withoutKind(model.trim().toLowerCase());
  for (const [slug, { enabled }] of models)
    if (!enabled && withoutKind(slug.toLowerCase()) === plain) return true;
  return false;
}

/** A request that shows no model may go out where it can ask for none, or where the provider may choose any. */
function requireModelless(record: ProviderRecord, { body }: Call): void {
  if (body.kind !== 'none' && (!record.allowAllModels || body.kind === 'stream')) throw unshown(record);
}

const unshown = (record: ProviderRecord) =>
  new GatewayError('FORBIDDEN', {
    message: `The models of @${record.slug} are restricted, and the request does not show which it asks for: name it in JSON, or in a form before the first file, on a path whose format the gateway knows.`,
    param: 'model',
  });

const notText = (record: ProviderRecord, place: string) =>
  new GatewayError('VALIDATION_FAILED', {
    message:
      place === 'model'
        ? `The models of @${record.slug} are restricted: the body names one model, as a text in the member model.`
        : `The models of @${record.slug} are restricted: ${place} names a model as a text.`,
    param: place,
  });
