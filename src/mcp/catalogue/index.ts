export {
  type CapabilityDocument,
  type CapabilityType,
  type CatalogueDocument,
  capabilityTypes,
  type ServerDescription,
} from './documents.ts';
export { readOffers, type ServerOffers } from './read.ts';
export { createReadAgain } from './read-again.ts';
export { type DefinitionChange, type SyncTarget, syncCatalogue } from './sync.ts';
export { createCatalogueUpkeep } from './upkeep.ts';
