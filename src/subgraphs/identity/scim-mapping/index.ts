export { grantToUsers } from './grant.ts';
export { mappingsOfGroup } from './loaders.ts';
export { scimMappingModel } from './model.ts';
export { endMappingsOf } from './service.ts';
