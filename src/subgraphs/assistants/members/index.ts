export { attributeFilterOf, attributesOf } from './attributes.ts';
export { chunkingOf, chunkingShape } from './chunking.ts';
export { attachmentsOf, contentOf } from './content.ts';
export { type Metadata, metadataOf } from './metadata.ts';
export { parsed } from './parsed.ts';
export { rankingOptions } from './ranking.ts';
export { responseFormatOf } from './response-format.ts';
export { namedToolResourcesOf, toolResourcesOf } from './tool-resources.ts';
export { MOST_TOOLS, toolsOf } from './tools.ts';
