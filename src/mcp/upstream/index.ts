export { judging, MOCK_URL, upstreamUrlProblem } from './address.ts';
export { connectUpstream, type Era, type ServerHello, type UpstreamConnection } from './connect.ts';
export { createHttpTransport } from './http-transport.ts';
export {
  clientInfo,
  headerText,
  LATEST_LEGACY,
  legacyVersions,
  META,
  MODERN_ERRORS,
  MODERN_VERSION,
  modernMeta,
  SERVER_INFO,
} from './message.ts';
export { notMcp, problemOf, statusProblem, type UpstreamFault, UpstreamProblem } from './problem.ts';
export { createSseTransport } from './sse-transport.ts';
export type { UpstreamTransport } from './transport.ts';
export {
  createUpstreamWire,
  type UpstreamHearer,
  type UpstreamWire,
  type WireControl,
  type WireRequest,
} from './wire.ts';
