export { createSessionDurations, SESSION_SECONDS, type SessionDurations } from './durations.ts';
export { createEventSeal, type EventSeal, type StreamPlace } from './event-seal.ts';
export { createJsonSeal } from './json-seal.ts';
export { createResourceLinks, type ResourceLinks } from './links.ts';
export {
  mcpLinkModel,
  mcpReplyModel,
  mcpSessionModel,
  mcpVerdictModel,
  type ReplyDocument,
  type SessionDocument,
  type VerdictDocument,
} from './model.ts';
export { createReplies, type Replies } from './replies.ts';
export { createSessionSeal, type SessionSeal } from './seal.ts';
export type { McpSession, UpstreamSession } from './session.ts';
export { createSessionStore, type SessionStore } from './store.ts';
export { createTaskSeal, type TaskSeal } from './task-seal.ts';
