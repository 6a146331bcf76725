import { wholeFormatOf } from '../../../formats/index.ts';
import type { ServerSentEvent } from '../../../lib/event-stream/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ModelCall, OfferedTool, ToolOutcome, ToolWork } from '../formats/format.ts';

/** Makes one stream of those of all rounds. Each method gives the text that goes to the caller. */
export type StreamWeaver = {
  /** Another round begins. */
  begin(): void;
  /** Takes an event of the round. */
  take(event: ServerSentEvent): string;
  /** The round is over, and a tool that its answer calls is called. */
  begun(call: ModelCall, tool: OfferedTool): string;
  /** The call has come to its end. */
  made(outcome: ToolOutcome): string;
  /** The answer that the events of the round have told; null for one that breaks off. */
  told(): JsonObject | null;
  /** The end of the stream. `answer`: the last one, with what was done before it. */
  end(answer: JsonObject): string;
};

export type WeaverGiven = {
  toolOf(functionName: string): OfferedTool | undefined;
  done(): ToolWork;
  /** The request as the caller made it. */
  asked: JsonObject;
};

export const assembled = (endpoint: string, events: readonly ServerSentEvent[]): JsonObject | null =>
  wholeFormatOf(endpoint)?.assemble(events) ?? null;
