export { createRunEngine, type RunEngine } from './engine.ts';
export { runEventBatchModel } from './events/batches.ts';
export type { PlacedRunEvent } from './events/channel.ts';
export { eventPlaceOf } from './events/follow.ts';
export type { NewRun, NewThread } from './new-run.ts';
export { approvalIn, type Begun } from './submit.ts';
export type { HostedTool } from './tools/tool.ts';
export { createContextWindows } from './turn/context-windows.ts';
export { runInstanceModel } from './upkeep/instances.ts';
