export { createToolRunner, type RunToolsDependencies } from './run-tools.ts';
