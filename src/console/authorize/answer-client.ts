import { describable } from '../../mcp/oauth/index.ts';
import { mcpAddress } from '../../subgraphs/own-address.ts';
import type { AuthorizeExchange } from './exchange.ts';
import { pageHeadersFor } from './page.ts';

type Answered = { redirectUri: string; state: string | undefined };

/** Sends a browser to its client with an answer, which always says of whom it is (RFC 9207). */
export function answerClient(
  { response, context }: AuthorizeExchange,
  { redirectUri, state }: Answered,
  answer: Record<string, string>,
): void {
  const { error_description: description, ...others } = answer;
  const parameters = new URLSearchParams({
    ...others,
    ...(description !== undefined && { error_description: describable(description) }),
    ...(state !== undefined && { state }),
    iss: mcpAddress(context),
  });
  // Appended to the text itself: an address that was read and written anew could be another one to the client.
  const separator = redirectUri.includes('?') ? '&' : '?';
  response.writeHead(303, { ...pageHeadersFor([]), location: `${redirectUri}${separator}${parameters}` });
  response.end();
}
