export { attach, existingFiles, type NamedFile } from './attach.ts';
export { countsOfBatch, countsShape, getVectorStore, requireUnexpired, writableVectorStore } from './find.ts';
export { vectorStoreModel } from './model.ts';
export { insertStore, newStore, renewStore } from './new-store.ts';
