export { judging, MOCK_URL, upstreamUrlProblem } from './address.ts';
export { connectUpstream, type Era, type ServerHello, type UpstreamConnection } from './connect.ts';
export { createHttpTransport } from './http-transport.ts';
export { problemOf, type UpstreamFault, UpstreamProblem } from './problem.ts';
export { createSseTransport } from './sse-transport.ts';
export type { UpstreamTransport } from './transport.ts';
