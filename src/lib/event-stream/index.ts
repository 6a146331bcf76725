export {
  createEventReader,
  type EventReader,
  EventTooLargeError,
  MAX_EVENT_LENGTH,
  type ServerSentEvent,
} from './reader.ts';
export { formatEvent } from './writer.ts';
