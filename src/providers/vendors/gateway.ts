import { jsonAnswer } from '../answer.ts';
import { allOffers, endpointsOf } from '../endpoint.ts';
import type { Provider } from '../provider.ts';

/** Stands for files, batches and jobs that the gateway would keep by itself. It keeps none, and says so to every call. */
export const gateway: Provider = {
  id: 'gateway',
  baseUrl: null,
  settings: {},
  endpoints: endpointsOf(...allOffers.filter((offer) => offer !== 'realtime')),
  authorize() {},
  respond: async () =>
    jsonAnswer({
      status: 400,
      value: {
        error: {
          message: 'The gateway is no provider by itself: name the one that is to be asked.',
          type: 'invalid_request_error',
          param: 'x-gateway-provider',
          code: 'unsupported_endpoint',
        },
      },
    }),
};
