import { googleKey } from '../../credentials/keys.ts';
import { endpointsOf } from '../../endpoint.ts';
import { geminiApi } from '../../kinds/gemini/native-api.ts';
import { lazyDialects } from '../../kinds/lazy-dialects.ts';
import type { Provider } from '../../provider.ts';

/** Gemini with an API key. */
export const google: Provider = {
  id: 'google',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  settings: {},
  priceName: 'google',
  nativeApi: geminiApi,
  endpoints: endpointsOf(),
  streamUsage: true,
  dialects: lazyDialects(['chatComplete', 'embed', 'models'], () => import('./dialects.ts')),
  modelKinds: ['models/'],
  callerHeaders: ['x-goog-api-key'],
  authorize: googleKey,
};
