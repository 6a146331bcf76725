import { bearer } from '../../credentials/keys.ts';
import { endpointsOf } from '../../endpoint.ts';
import { lazyDialects } from '../../kinds/lazy-dialects.ts';
import type { Provider } from '../../provider.ts';

/** Cohere; its own ranking of documents has the form that the gateway takes. */
export const cohere: Provider = {
  id: 'cohere',
  baseUrl: 'https://api.cohere.ai',
  settings: {},
  endpoints: endpointsOf(),
  priceName: 'cohere',
  nativeApi: {
    cacheablePaths: [/^\/(?:chat|embed|generate)$/],
    dataMembers: ['parameter_definitions', 'parameterDefinitions'],
  },
  streamUsage: true,
  dialects: lazyDialects(['chatComplete', 'complete', 'embed'], () => import('./dialects.ts')),
  pathOf: ({ endpoint, path }) =>
    endpoint === 'rerank' ? '/v2/rerank' : endpoint === 'models' ? `/v1${path}` : path,
  authorize: bearer,
};
