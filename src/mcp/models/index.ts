export { createApprovals } from './approvals.ts';
export type { FoundTool } from './find-tools.ts';
export { createServerTools, type RunRequest, type RunTools, type ServerTools } from './for-runs.ts';
export { isAskedFor } from './formats/approval-rule.ts';
export { type AllowedTools, schemaOf } from './formats/format.ts';
export { headersOfPerson } from './headers-of-person.ts';
export { createResultsBeside } from './results-beside.ts';
export { createToolRunner, type RunToolsDependencies } from './run-tools.ts';
export { createVerdictUses } from './verdict-uses.ts';
