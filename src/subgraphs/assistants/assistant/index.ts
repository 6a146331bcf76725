export { type AssistantDocument, assistantModel } from './model.ts';
export { findAssistant, keepVersion } from './service.ts';
