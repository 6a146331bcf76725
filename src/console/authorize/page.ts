import { createHash } from 'node:crypto';
import { isLocalRedirect, type OauthClient } from '../../mcp/oauth/index.ts';

const style = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 36rem; margin: 4rem auto; padding: 0 1rem; }
  label { display: block; margin: 1rem 0; }
  input, select { display: block; width: 100%; box-sizing: border-box; font: inherit; padding: .4rem; }
  button { font: inherit; padding: .4rem 1.2rem; margin-right: .6rem; }
  .warning { border-left: .3rem solid #b00; padding-left: .8rem; }
  dt { font-weight: 600; }
  dd { margin: 0 0 .6rem; overflow-wrap: anywhere; }
`;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Headers of these pages: they run no script, load nothing, and no other page may show them. `targets`: where their forms may lead. */
export const pageHeadersFor = (targets: readonly string[]): Record<string, string> => ({
  'content-security-policy': [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    // Browsers hold an answer that leads on against it too.
    `form-action 'self'${targets.map((target) => ` ${target}`).join('')}`,
    "frame-ancestors 'none'",
  ].join('; '),
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
});

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

const pageOf = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${style}</style>
<h1>${escaped(title)}</h1>
${body}
</html>
`;

/** What a person reads whom nothing is asked. */
export const messagePage = (title: string, text: string): string => pageOf(title, `<p>${escaped(text)}</p>`);

const hidden = (name: string, value: string): string =>
  `<input type="hidden" name="${name}" value="${escaped(value)}">`;

const factsOf = ({ client, redirectUri }: { client: OauthClient; redirectUri: string }): string => {
  const isDescribed = client.id.startsWith('http');
  return `<dl>
  <dt>Client</dt><dd>${escaped(client.name ?? 'without a name')}${isDescribed ? ` (described at ${escaped(new URL(client.id).host)})` : ' (this name was checked by nobody)'}</dd>
  <dt>The answer goes to</dt><dd>${escaped(placeOf(redirectUri))}</dd>
</dl>`;
};

/** What people know an address by: its host, or the scheme of a program. */
function placeOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  return protocol === 'http:' || protocol === 'https:' ? host : `${protocol}//`;
}

/** Who asks: a client, or the gateway itself for a server at which people sign in. */
export type AskingParty = { client: OauthClient; redirectUri: string } | { serverSlug: string };

type SignInPage = {
  asking: AskingParty;
  sealed: string;
  /** Address at which an identity provider is asked; null without one. */
  oidcPath: string | null;
  problem: string | null;
};

/** Asks who somebody is. */
export const signInPage = ({ asking, sealed, oidcPath, problem }: SignInPage): string =>
  pageOf(
    'Sign in',
    `${
      'client' in asking
        ? `<p>A client asks to use MCP servers of this gateway in your name.</p>\n${factsOf(asking)}`
        : `<p>Say who you are, to connect to the MCP server ${escaped(asking.serverSlug)}.</p>`
    }
${problem === null ? '' : `<p class="warning" role="alert">${escaped(problem)}</p>`}
${oidcPath === null ? '' : `<p><a href="${escaped(oidcPath)}">Sign in with your identity provider</a></p>`}
<form method="post" action="authorize">
${hidden('request', sealed)}
<label>API key of yours <input name="key" type="password" required maxlength="512" autocomplete="off"></label>
<button name="decision" value="sign_in">Sign in</button>
</form>`,
  );

const meanings: Readonly<Record<string, string>> = {
  mcp: 'everything: read, use prompts, and call tools',
  'mcp:read': 'list tools, read resources and prompts',
  'mcp:write': 'read, and call tools',
};

type ConsentPage = {
  client: OauthClient;
  redirectUri: string;
  scopes: readonly string[];
  /** The MCP server, or null for all that the person may use. */
  serverSlug: string | null;
  person: string;
  /** The workspaces among which the person must choose; none where there is no choice. */
  workspaces: readonly { id: string; name: string }[];
  sealed: string;
};

/** Asks whether a client may act for somebody. */
export const consentPage = (page: ConsentPage): string =>
  pageOf(
    'Let this client act for you?',
    `${factsOf(page)}
<dl>
  <dt>It may</dt><dd>${page.scopes.map((scope) => escaped(meanings[scope] ?? scope)).join('; ')}</dd>
  <dt>At</dt><dd>${page.serverSlug === null ? 'all MCP servers that you may use' : `the MCP server ${escaped(page.serverSlug)}`}</dd>
  <dt>As</dt><dd>${escaped(page.person)}</dd>
</dl>
${isLocalRedirect(page.redirectUri) ? '<p class="warning">The answer goes to a program on your own machine, whatever it calls itself. Allow it only if you have just started it.</p>' : ''}
<form method="post" action="authorize">
${hidden('request', page.sealed)}
${page.workspaces.length === 0 ? '' : `<label>Workspace <select name="workspace">${page.workspaces.map(({ id, name }) => `<option value="${escaped(id)}">${escaped(name)}</option>`).join('')}</select></label>`}
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button>
<button name="decision" value="sign_out" formnovalidate>I am somebody else</button>
</form>`,
  );

type ConnectPage = { serverSlug: string; host: string; person: string; sealed: string };

/** Asks whether the gateway may act for somebody at a server. */
export const connectPage = ({ serverSlug, host, person, sealed }: ConnectPage): string =>
  pageOf(
    `Connect to ${serverSlug}?`,
    `<p>You sign in at the server itself, on the next page. From then on this gateway acts for you there, whenever a client of
yours asks it to.</p>
<dl>
  <dt>Server</dt><dd>${escaped(host)}</dd>
  <dt>As</dt><dd>${escaped(person)}</dd>
</dl>
<form method="post" action="authorize">
${hidden('request', sealed)}
<button name="decision" value="connect">Continue</button>
<button name="decision" value="sign_out" formnovalidate>I am somebody else</button>
</form>`,
  );
