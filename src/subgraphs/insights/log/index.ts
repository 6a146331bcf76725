export { lastModelsOf } from './last-models.ts';
export { readPacks } from './loaders.ts';
export { shownRequest, shownResponse } from './messages.ts';
export { logBodiesPackModel, logModel } from './model.ts';
export { searchedIds } from './search.ts';
export { mayOpen, openingScopes } from './visible.ts';
