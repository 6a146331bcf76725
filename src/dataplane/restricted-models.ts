import { GatewayError } from '../errors/index.ts';
import { modelInPath } from '../recording/asked-for.ts';
import type { Call } from './call.ts';
import type { Leaf } from './config/plan.ts';
import type { ModelRecord, ProviderRecord } from './directory.ts';
import { requestedModel } from './requested-model.ts';

/**
 * What a provider's catalogue entry says of the model that a call asks for; null when it says nothing. Throws FORBIDDEN for
 * a model that is not enabled, wherever the request, as it will be sent, names it: in the body after the config's
 * parameters, or in the path. `model`: what the body is given to say.
 */
export function allowedModel(
  record: ProviderRecord,
  model: string | null,
  leaf: Leaf,
  call: Call,
): ModelRecord | null {
  if (!record.restrictsModels) return model === null ? null : (record.models.get(model) ?? null);
  const { body } = call;
  const isWritten = body.kind === 'json' || (body.kind !== 'none' && body.form !== null);
  // What is not read is sent as it is, whatever the config says of its parameters.
  const inBody = isWritten ? (model ?? defaultModel(leaf)) : requestedModel(body);
  const inPath = modelInPath(call.path);
  if (inBody !== null) requireEnabled(record, inBody, isWritten ? placeOfModel(model, leaf) : 'model');
  if (inPath !== null) requireEnabled(record, inPath, 'model');
  if (inBody === null && inPath === null) requireModelless(record, call);
  return record.models.get(inBody ?? inPath ?? '') ?? null;
}

const defaultModel = ({ defaultParams }: Leaf): string | null =>
  typeof defaultParams?.model === 'string' ? defaultParams.model : null;

/** Whose word the model of the outgoing body is. */
function placeOfModel(model: string | null, { path, overrideParams }: Leaf): string {
  if (typeof overrideParams?.model === 'string') return `${path}.override_params.model`;
  return model === null ? `${path}.default_params.model` : 'model';
}

function requireEnabled(record: ProviderRecord, model: string, place: string): void {
  const found = record.models.get(model);
  if (found ? found.enabled : record.allowAllModels) return;
  const see = place === 'model' ? '' : `: see ${place}`;
  throw new GatewayError('FORBIDDEN', {
    message: `The model ${model.slice(0, 200)} is not enabled on @${record.slug}${see}.`,
    param: place,
  });
}

/** What shows no model may ask for none, or for one that the provider chooses. */
function requireModelless(record: ProviderRecord, { body }: Call): void {
  if (body.kind === 'none' || (record.allowAllModels && body.kind !== 'stream')) return;
  throw new GatewayError('FORBIDDEN', {
    message: `The models of @${record.slug} are restricted, and the request does not show which it asks for.`,
    param: 'model',
  });
}
