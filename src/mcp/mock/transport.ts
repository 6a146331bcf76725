import type { UpstreamTransport } from '../upstream/transport.ts';
import { answerMock } from './server.ts';

/** Messages to the server that is built in, which answers at once. */
export const mockTransport: UpstreamTransport = {
  async exchange(message) {
    const response = answerMock(message);
    return { status: response === null ? 202 : 200, response, sessionId: null };
  },
  async close() {},
};
