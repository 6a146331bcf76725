import { endpointsOf } from '../../endpoint.ts';
import { geminiApi } from '../../kinds/gemini/native-api.ts';
import { lazyDialects } from '../../kinds/lazy-dialects.ts';
import type { Provider } from '../../provider.ts';
import { authorize } from './authorize.ts';
import { isClaude } from './places.ts';
import { settings } from './settings.ts';

/** Gemini and Claude on Google Cloud. */
export const vertexAi: Provider = {
  id: 'vertex-ai',
  baseUrl: ({ vertex_region: region }) =>
    region !== undefined && settings.vertex_region.pattern.test(region)
      ? `https://${hostOf(region)}/v1`
      : null,
  settings,
  sufficientSettings: [
    ['vertex_region', 'vertex_project_id'],
    ['vertex_region', 'vertex_service_account_json'],
  ],
  endpoints: endpointsOf(),
  streamUsage: true,
  dialects: lazyDialects(
    ['chatComplete', 'embed', 'imageGenerate', 'messages', 'models'],
    () => import('./dialects.ts'),
  ),
  // Files, batches and fine-tuning have formats of their own there.
  lacks: (endpoint, model) => endpoint === 'messages' && !isClaude(model),
  priceName: 'google',
  nativeApi: {
    ...geminiApi,
    // A tuned model is an endpoint of the project's own, and `endpoints/<id>` is its name.
    modelPaths: [
      ...geminiApi.modelPaths,
      /\/(endpoints\/[^/:?]+):\w/,
      /\/(endpoints\/(?!openapi\/)[^/?]+)\/(?:chat\/completions|invoke\/)/,
    ],
    dataMembers: [...geminiApi.dataMembers, 'instances'],
  },
  modelKinds: ['endpoints/'],
  callerHeaders: ['anthropic-beta', 'x-vertex-ai-llm-request-type'],
  authorize,
};

function hostOf(region: string): string {
  if (region === 'global') return 'aiplatform.googleapis.com';
  // Regions of several countries have hosts of their own.
  if (region === 'eu' || region === 'us') return `aiplatform.${region}.rep.googleapis.com`;
  return `${region}-aiplatform.googleapis.com`;
}
