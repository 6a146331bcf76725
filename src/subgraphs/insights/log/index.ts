export { logQuery, parseModel } from './filters.ts';
export { findLogQuery } from './find-query.ts';
export { lastModelsOf } from './last-models.ts';
export { readPacks } from './loaders.ts';
export { shownRequest, shownResponse } from './messages.ts';
export { logBodiesPackModel, logModel } from './model.ts';
export { cents } from './money.ts';
