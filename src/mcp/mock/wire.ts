import { parsedObject } from '../../lib/json.ts';
import { MOCK_URL, type UpstreamWire, type WireControl } from '../upstream/index.ts';
import type { RpcRequest } from '../upstream/message.ts';
import { answerMock } from './server.ts';

const OVER: WireControl = { resume: () => undefined, abort: () => undefined };

/** Requests to the server that is built in are answered here, all others by `wire`. */
export const withMock =
  (wire: UpstreamWire): UpstreamWire =>
  (request, hearer) => {
    if (request.url !== MOCK_URL) return wire(request, hearer);
    const message = request.body === null ? null : parsedObject(String(request.body));
    const response = message && answerMock(message as RpcRequest);
    hearer.head(response ? 200 : 202, {});
    if (response) {
      const value = { jsonrpc: '2.0', ...response };
      hearer.message(value, JSON.stringify(value), null, true);
    }
    hearer.end(null);
    return OVER;
  };
