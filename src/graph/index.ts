export { type BuiltInSubgraph, createGraph, type Graph } from './composition/graph.ts';
export { type ServedGraph, servedAlone } from './composition/served-graph.ts';
export { readSources, type SdlFile, type SubgraphSource } from './composition/sources.ts';
export { causeOf, toGraphError } from './doors/errors.ts';
export { createGraphHttp, type GraphHttp, type GraphHttpOptions } from './doors/http.ts';
export { adoptRequestId } from './doors/request-id.ts';
export { createStandalone } from './doors/standalone.ts';
export {
  createSubscriptions,
  type Knock,
  refuseUpgrade,
  type Subscriptions,
} from './doors/subscriptions/index.ts';
export { graphGauges } from './gauges.ts';
export { createOperations, resultOf } from './operations.ts';
export { createRemotes, type Remotes } from './remote/remotes.ts';
export { auditedCall } from './rules/audit.ts';
export { type Constraint, readRule } from './rules/read-rule.ts';
export { createSafety, defaultSafety, type Safety, type SafetySettings } from './safety/index.ts';
export { readTrustedDocuments, type TrustedDocuments } from './safety/trusted-documents.ts';
