import { conversationIdOf } from '../../../dataplane/keeping/asks-to-keep.ts';
import type { KeptCall } from '../../../dataplane/keeping/keeper.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import { type Metadata, metadataOf } from '../members/index.ts';
import { type GivenItem, givenItems } from './items.ts';

/** Bytes of a request that is kept. */
const MAX_BYTES = 8 * 1024 * 1024;

/** What a request for a response says, checked as far as the gateway itself needs it. */
export type GivenResponse = {
  model: string;
  /** What the model is sent beside the input. */
  request: JsonObject;
  items: GivenItem[];
  metadata: Metadata;
  previousId: string | null;
  conversationId: string | null;
  isBackground: boolean;
  isStreamed: boolean;
};

/** Members that say how a response is kept and answered; its model is told nothing of them. */
const ofKeeping = new Set([
  ...['store', 'background', 'previous_response_id', 'conversation', 'stream', 'input', 'model', 'metadata'],
]);

/** Throws VALIDATION_FAILED and BODY_TOO_LARGE. */
export function givenResponse({ body, size }: Pick<KeptCall, 'body' | 'size'>): GivenResponse {
  if (size > MAX_BYTES) {
    throw new GatewayError('BODY_TOO_LARGE', {
      message: `A response that is kept is asked for with at most ${MAX_BYTES} bytes.`,
    });
  }
  const { model, input, metadata, stream, background, store, previous_response_id: previous } = body;
  if (typeof model !== 'string' || model === '' || model.length > 512)
    throw invalidInput('model', 'model must be a text of at most 512 characters.');
  requireSwitch('stream', stream);
  requireSwitch('background', background);
  if (store === false)
    throw invalidInput(
      'store',
      'store must be true or absent where a response goes on from what is kept, or in background.',
    );
  requireSwitch('store', store);
  if (isGiven(previous) && isGiven(body.conversation))
    throw invalidInput(
      'previous_response_id',
      'previous_response_id must be absent where conversation is given.',
    );
  const request = Object.fromEntries(Object.entries(body).filter(([name]) => !ofKeeping.has(name)));
  if (isObject(request.stream_options)) delete request.stream_options;
  return {
    model,
    request,
    items: givenItems(input, 'input'),
    metadata: metadataOf(metadata, 'metadata'),
    previousId: isGiven(previous) ? (previous as string) : null,
    conversationId: isGiven(body.conversation) ? (conversationIdOf(body.conversation) as string) : null,
    isBackground: background === true,
    isStreamed: stream === true,
  };
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

function requireSwitch(name: string, value: unknown): void {
  if (isGiven(value) && typeof value !== 'boolean')
    throw invalidInput(name, `${name} must be true or false.`);
}
