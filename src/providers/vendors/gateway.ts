import { endpointsOf } from '../endpoint.ts';
import { jsonAnswer } from '../kinds/openai-compatible/ask.ts';
import type { Provider } from '../provider.ts';

/** Files, batches and jobs that the gateway itself would keep (spec/data-plane.md, section 10.4): it keeps none. */
export const gateway: Provider = {
  id: 'gateway',
  baseUrl: null,
  settings: {},
  endpoints: endpointsOf('c t e m r i ie s x l f b ft'),
  authorize() {},
  respond: async () =>
    jsonAnswer(
      400,
      {},
      {
        error: {
          message: 'The gateway is no provider by itself: name the one that is to be asked.',
          type: 'invalid_request_error',
          param: 'x-gateway-provider',
          code: 'unsupported_endpoint',
        },
      },
    ),
};
