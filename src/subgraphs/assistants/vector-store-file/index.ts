export { vectorSegmentModel, vectorStoreFileModel } from './model.ts';
export { storeFilePage } from './page.ts';
export { storesOfFile } from './stores-of-file.ts';
