export {
  completionOf,
  type GivenFile,
  type GivenUpload,
  listedFiles,
  newFile,
  newUpload,
  writerOf,
} from './given.ts';
export { fileContentModel, fileModel, uploadModel, uploadPartModel } from './model.ts';
export { fileContent, getFile, listFiles } from './service.ts';
export { fileShape, uploadShape } from './shapes.ts';
