import { type GatewayError, inferenceBody } from '../errors/index.ts';
import { chatStreamFormat } from './chat-completions/stream.ts';
import { chatUsage } from './chat-completions/usage.ts';
import { chatWholeFormat } from './chat-completions/whole.ts';
import { cohereUsage } from './cohere/usage.ts';
import { completionsWholeFormat } from './completions/whole.ts';
import { converseUsage } from './converse/usage.ts';
import { geminiUsage } from './gemini/usage.ts';
import { messagesErrorBody } from './messages/errors.ts';
import { messagesOverChat } from './messages/over-chat/index.ts';
import { messagesStreamFormat } from './messages/stream.ts';
import { messagesUsage } from './messages/usage.ts';
import { messagesWholeFormat } from './messages/whole.ts';
import { mistralOcrUsage } from './mistral-ocr/usage.ts';
import { otherStreamFormat } from './other/stream.ts';
import type { CallerTranslation } from './over-chat/translation.ts';
import { responsesErrorBody } from './responses/errors.ts';
import { responsesOverChat } from './responses/over-chat/index.ts';
import { responsesStreamFormat } from './responses/stream.ts';
import { responsesUsage } from './responses/usage.ts';
import { responsesWholeFormat } from './responses/whole.ts';
import type { StreamFormat } from './stream/stream-format.ts';
import type { WholeFormat } from './stream/whole-format.ts';
import type { UsageReader } from './usage/reader.ts';

/**
 * All that the gateway knows of wire formats, by endpoint. Each format has a folder, in which each file has one subject.
 *
 * How a format in which callers may ask is added, e.g. `generate-content`:
 * 1. `generate-content/stream.ts`: how its streams open, end and fail (`stream/format.ts`).
 * 2. `generate-content/whole.ts`: a whole answer made of a stream, and a stream made of a whole answer, for the cache (`whole.ts`).
 * 3. `generate-content/usage.ts`: where an answer reports its token counts (`usage/reader.ts`).
 * 4. `generate-content/errors.ts`: the body of an error, where it is not OpenAI's.
 * 5. `generate-content/over-chat/`: its requests and answers as those of chat completions, for providers that do not take
 *    the format themselves (`translation.ts`; the parts that translations share are in `over-chat/`).
 * 6. A row in `formats` below and, for its token counts, one in `usageReaders`.
 *
 * Outside this folder the endpoint needs its name in `providers/endpoint.ts`, its path in `dataplane/call/routes.ts`, and
 * the providers that take it. A format that only providers use needs no more than step 3 and its row.
 */
type Format = {
  stream?: StreamFormat;
  /** Absent where answers are not kept in the cache. */
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

/** How an endpoint's whole answer and its stream follow from each other; undefined where there is only one of them. */
export const wholeFormatOf = (endpoint: string): WholeFormat | undefined => formats[endpoint]?.whole;

/** How an endpoint is spoken over chat; undefined for chat itself, and where nothing can be said in chat. */
export const overChatOf = (endpoint: string): CallerTranslation | undefined => formats[endpoint]?.overChat;

/** The body of an error of the gateway, in the format of the endpoint that was called. */
export function errorBodyFor(endpoint: string, error: GatewayError): Record<string, unknown> {
  const body = inferenceBody(error);
  return formats[endpoint]?.errorBody?.(error.entry.status, body) ?? body;
}

/**
 * The ways in which answers report token counts, whatever the endpoint: providers also report in formats that no caller
 * uses. The first one that matches a report reads it, so one that matches fewer reports stands before one that matches more.
 */
export const usageReaders: readonly UsageReader[] = [
  cohereUsage,
  geminiUsage,
  converseUsage,
  chatUsage,
  responsesUsage,
  messagesUsage,
  mistralOcrUsage,
];
