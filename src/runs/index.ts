export { type Begun, createRunEngine, type NewRun, type RunEngine } from './engine.ts';
export { runInstanceModel } from './instances.ts';
export type { HostedTool } from './tools/tool.ts';
