import type { JsonObject } from '../../lib/json.ts';
import type { Call } from '../call/call.ts';
import { isForProvider } from '../target/provider-of-request.ts';
import { isKeptId } from './kept-ids.ts';

/**
 * Whether a call wants a response that the gateway keeps. One that names a provider in its headers is that provider's, and so is
 * one that goes on with what a provider keeps.
 */
export const asksToKeep = (call: Call): boolean =>
  call.route.endpoint === 'createResponse' &&
  call.body.kind === 'json' &&
  isToBeKept(call.body.value) &&
  !isForProvider(call.headers);

function isToBeKept({
  store,
  background,
  previous_response_id: previous,
  conversation,
}: JsonObject): boolean {
  if (isGiven(previous) || isGiven(conversation))
    return isKeptId(previous) || isKeptId(conversationIdOf(conversation));
  return store === true || background === true;
}

/** The id in a conversation, which may be given as an object. */
export const conversationIdOf = (conversation: unknown): unknown =>
  typeof conversation === 'object' && conversation !== null ? (conversation as JsonObject).id : conversation;

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
