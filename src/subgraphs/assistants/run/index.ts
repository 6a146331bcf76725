export { getRun } from './find.ts';
export { followRun } from './follow.ts';
export { runModel } from './model.ts';
