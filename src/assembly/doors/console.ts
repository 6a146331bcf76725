import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerUpstreamCallback } from '../../console/authorize/callback.ts';
import { createPersonCookie } from '../../console/authorize/cookie.ts';
import { answerAuthorize } from '../../console/authorize/door.ts';
import type { AuthorizeDoor } from '../../console/authorize/exchange.ts';
import { createCookie } from '../../console/cookie.ts';
import { type Console, type ConsoleOptions, createConsole } from '../../console/door.ts';
import { createFlowCookie } from '../../console/oidc/flow-cookie.ts';
import { createOidcProvider } from '../../console/oidc/provider.ts';
import { createPages } from '../../console/static/pages.ts';
import { adoptRequestId } from '../../graph/index.ts';
import type { Settings } from '../../settings/index.ts';
import type { Secrets } from '../../storage/secrets.ts';
import type { GraphContext } from '../../subgraphs/context.ts';

type Given = Omit<ConsoleOptions, 'cookie' | 'oidc' | 'publicUrl' | 'pages'> & {
  settings: Settings;
  secrets: Secrets;
  now: () => Date;
};

/** The console with the identity provider of the settings; null where it is switched off. */
export function createConsoleDoor({ settings, secrets, now, ...given }: Given): Console | null {
  if (!settings.console.isOn) return null;
  const { publicUrl, consoleOidc } = settings.identity;
  const cookie = createCookie(publicUrl);
  const personCookie = createPersonCookie(publicUrl);
  const { directory, log } = given;
  const oidc = consoleOidc && {
    settings: consoleOidc,
    provider: createOidcProvider(consoleOidc, { now, log }),
    flowCookie: createFlowCookie(publicUrl, secrets),
    cookie,
    personCookie,
    directory,
  };
  return createConsole({
    ...given,
    cookie,
    oidc,
    publicUrl,
    pages: createPages({ folder: settings.console.directory, publicUrl }),
  });
}

type AuthorizeGiven = Omit<AuthorizeDoor, 'cookie' | 'hasOidc'> & {
  settings: Settings;
  createContext(principal: null, request: IncomingMessage): GraphContext;
};

/** The page at which people let MCP clients act for them; it is there without the console too. */
export function createAuthorizeDoor({ settings, createContext, ...given }: AuthorizeGiven) {
  const { publicUrl, consoleOidc } = settings.identity;
  const door = {
    ...given,
    cookie: createPersonCookie(publicUrl),
    // The provider leads back to an address of the console.
    hasOidc: consoleOidc !== null && settings.console.isOn,
  };
  return (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const context = adoptRequestId(createContext(null, request), request);
    const answer = context.request.path === UPSTREAM_CALLBACK ? answerUpstreamCallback : answerAuthorize;
    return answer({ request, response, context }, door);
  };
}

const UPSTREAM_CALLBACK = '/oauth/upstream-callback';
