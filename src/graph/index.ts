export { causeOf, toGraphError } from './errors.ts';
export { type BuiltInSubgraph, createGraph, type Graph } from './graph.ts';
export { createGraphHttp, type GraphHttp, type GraphHttpOptions } from './http.ts';
export { createRemotes, type Remotes } from './remote/remotes.ts';
export { adoptRequestId } from './request-id.ts';
export { type Constraint, readRule } from './rules/read-rule.ts';
export { createSafety, defaultSafety, type Safety, type SafetySettings } from './safety.ts';
export { type ServedGraph, servedAlone } from './served-graph.ts';
export { readSources, type SdlFile, type SubgraphSource } from './sources.ts';
