export { type Begun, createRunEngine, type NewRun, type RunEngine } from './engine.ts';
export { runInstanceModel } from './instances.ts';
