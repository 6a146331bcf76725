import { type GatewayError, inferenceBody } from '../errors/index.ts';
import { chatStreamFormat } from './chat-completions/stream.ts';
import { chatWholeFormat } from './chat-completions/whole.ts';
import { completionsWholeFormat } from './completions/whole.ts';
import { messagesErrorBody } from './messages/errors.ts';
import { messagesOverChat } from './messages/over-chat/index.ts';
import { messagesStreamFormat } from './messages/stream.ts';
import { messagesWholeFormat } from './messages/whole.ts';
import { otherStreamFormat } from './other/stream.ts';
import type { CallerTranslation } from './over-chat/translation.ts';
import { responsesErrorBody } from './responses/errors.ts';
import { responsesOverChat } from './responses/over-chat/index.ts';
import { responsesStreamFormat } from './responses/stream.ts';
import { responsesWholeFormat } from './responses/whole.ts';
import type { StreamFormat } from './stream/stream-format.ts';
import type { WholeFormat } from './stream/whole-format.ts';

/**
 * What the gateway knows of wire formats, by endpoint. Each format has a folder, and each file of a folder has one subject.
 *
 * A format in which callers may ask is added like this, with `generate-content` as the example:
 * 1. `generate-content/stream.ts`: how its streams open, end and fail. The type is in `stream/stream-format.ts`.
 * 2. `generate-content/whole.ts`: how a whole answer is made of a stream, and a stream of a whole answer, for the cache.
 *    The type is in `stream/whole-format.ts`.
 * 3. `generate-content/usage.ts`: where an answer reports its token counts. The type is in `usage/reader.ts`.
 * 4. `generate-content/errors.ts`: the body of an error, where the format has another one than OpenAI's.
 * 5. `generate-content/over-chat/`: its requests and answers in terms of chat completions, for providers that take only
 *    those. The type is in `over-chat/translation.ts`; the files beside it are what such translations have in common.
 * 6. A row in `formats` below and, for step 3, one in `usage.ts`.
 *
 * Outside this folder the endpoint needs a name in `src/providers/endpoint.ts`, a path in `src/dataplane/call/routes.ts`, a
 * line for the reference in `src/dataplane/call/operations.ts`, and the providers that take it. A format in which only
 * providers answer needs no more than step 3 and its row in `usage.ts`.
 */
type Format = {
  stream?: StreamFormat;
  /** Absent where an answer does not come both as a whole and as a stream. */
  whole?: WholeFormat;
  /** Absent for chat itself, and where nothing can be said in chat. */
  overChat?: CallerTranslation;
  /** A provider's or the gateway's error in this format; absent where it goes out as it is. */
  errorBody?: (status: number, body: unknown) => Record<string, unknown>;
};

const formats: Readonly<Partial<Record<string, Format>>> = {
  chatComplete: { stream: chatStreamFormat, whole: chatWholeFormat },
  // The events of text completions open, end and fail as those of chat.
  complete: { stream: chatStreamFormat, whole: completionsWholeFormat },
  messages: {
    stream: messagesStreamFormat,
    whole: messagesWholeFormat,
    overChat: messagesOverChat,
    errorBody: messagesErrorBody,
  },
  countTokens: { errorBody: messagesErrorBody },
  createResponse: {
    stream: responsesStreamFormat,
    whole: responsesWholeFormat,
    overChat: responsesOverChat,
    errorBody: responsesErrorBody,
  },
};

/** The format of an endpoint's streams. One that the gateway does not know has a format in which only errors are seen. */
export const streamFormatOf = (endpoint: string): StreamFormat =>
  formats[endpoint]?.stream ?? otherStreamFormat;

/** How an endpoint's whole answer and its stream follow from each other; undefined where an answer does not come as both. */
export const wholeFormatOf = (endpoint: string): WholeFormat | undefined => formats[endpoint]?.whole;

/** How an endpoint is spoken over chat; undefined for chat itself, and where nothing can be said in chat. */
export const overChatOf = (endpoint: string): CallerTranslation | undefined => formats[endpoint]?.overChat;

/** The body of an error of the gateway, in the format of the endpoint that was called. */
export function errorBodyFor(endpoint: string, error: GatewayError): Record<string, unknown> {
  const body = inferenceBody(error);
  return formats[endpoint]?.errorBody?.(error.entry.status, body) ?? body;
}
