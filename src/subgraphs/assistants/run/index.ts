export { getRun } from './find.ts';
export { runModel } from './model.ts';
