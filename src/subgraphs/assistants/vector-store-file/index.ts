export { vectorSegmentModel, vectorStoreFileModel } from './model.ts';
export { storeFilePage } from './page.ts';
