export type { AssistantDocument } from './model.ts';
export { findAssistant } from './service.ts';
