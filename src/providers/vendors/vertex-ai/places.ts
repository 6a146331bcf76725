import type { SdkConnection } from '../../kinds/ai-sdk/dialect.ts';
import { RequestProblem } from '../../kinds/ai-sdk/fields.ts';
import type { ProviderCredential } from '../../provider.ts';
import type { ProviderSettings } from '../../setting.ts';
import { parseServiceAccount, serviceAccountText } from './service-account.ts';
import { settings } from './settings.ts';

/** A publisher's model by its place on Vertex, whatever way the caller spelled it. */
export type ModelPlace = { publisher: string; model: string };

/** `gemini-…`, `google.gemini-…`, `anthropic.claude-…`, `publishers/…/models/…` or `endpoints/…` for a tuned model. */
export function placeOf(model: string): ModelPlace {
  const match = /^(?:publishers\/)?([a-z0-9-]+)(?:\/models\/|\.)(?=[a-z])(.+)$/.exec(model);
  const publisher = match && publishers.has(match[1] ?? '') ? (match[1] ?? '') : null;
  if (publisher) return { publisher, model: match?.[2] ?? model };
  return { publisher: model.startsWith('claude-') ? 'anthropic' : 'google', model };
}

const publishers = new Set(['google', 'anthropic']);

/** Where a project's models are, below the base URL. */
export function locationOf(baseUrl: string, credential: ProviderCredential): string {
  return `${baseUrl}/projects/${projectOf(credential)}/locations/${regionOf(credential.settings)}`;
}

/** The version of Anthropic's format that Vertex speaks, which stands in the body. */
export const CLAUDE_VERSION = 'vertex-2023-10-16';

export const isClaude = (model: string): boolean => placeOf(model).publisher === 'anthropic';

export function claudeUrl({ baseUrl, credential }: SdkConnection, name: string, isStreamed: boolean): string {
  const models = `${locationOf(baseUrl, credential)}/publishers/anthropic/models`;
  return `${models}/${encodeURIComponent(placeOf(name).model)}:${isStreamed ? 'streamRawPredict' : 'rawPredict'}`;
}

function regionOf({ vertex_region: region }: ProviderSettings): string {
  if (region === undefined)
    throw new RequestProblem('Vertex needs a region: send x-gateway-vertex-region.', 'vertex_region');
  return encodeURIComponent(region);
}

function projectOf(credential: ProviderCredential): string {
  const account = serviceAccountText(credential);
  const project =
    credential.settings.vertex_project_id ??
    (account === null ? null : parseServiceAccount(account).projectId);
  if (project === null || !settings.vertex_project_id.pattern.test(project))
    throw new RequestProblem(
      'Vertex needs a project: send x-gateway-vertex-project-id.',
      'vertex_project_id',
    );
  return project;
}
