export { batchLineModel, batchModel } from './model.ts';
export { batchOutput } from './service.ts';
