import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, any>;

/** An MCP server at which each user signs in, and the issuer of its tokens, on loopback. */
export type McpIssuer = {
  url: string;
  origin: string;
  /** Who signs in at the issuer from now on; null for somebody who says no. */
  user: string | null;
  /** Seconds that an access token is said to live. */
  seconds: number;
  /** Access tokens that the server takes now, and whose they are. */
  tokens: Map<string, string>;
  /** Refresh tokens that count now, and whose they are. */
  refreshTokens: Map<string, string>;
  /** What the issuer says in place of what is right. */
  lie: { iss?: string | null; metadata?: Json; refresh?: { status: number; body: Json } };
  /** Grants, in the order in which they were asked for. */
  grants: URLSearchParams[];
  registrations: Json[];
  revoked: string[];
  /** Requests to the MCP endpoint by their methods. */
  asked: string[];
  /** The scope that calls of tools take; null for any. */
  needs: string | null;
  /** What lists say of the time for which they may be kept; undefined for nothing. */
  ttlMs: unknown;
  /** Scopes with which browsers came, in order; null where they named none. */
  scopes: (string | null)[];
  /** Milliseconds after which the token endpoint answers. */
  delay: number;
  stop(): Promise<void>;
};

export async function startMcpIssuer(): Promise<McpIssuer> {
  const codes = new Map<string, { user: string; challenge: string; redirect: string }>();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer: McpIssuer = {
    ...{ url: `${origin}/mcp`, origin, user: 'ada', seconds: 3600, delay: 0 },
    ...{
      tokens: new Map(),
      refreshTokens: new Map(),
      lie: {},
      grants: [],
      registrations: [],
      revoked: [],
      asked: [],
      needs: null,
      ttlMs: undefined,
      scopes: [],
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };

  function issued(user: string): Json {
    const [access, refresh] = [`access-${user}-${randomUUID()}`, `refresh-${user}-${randomUUID()}`];
    issuer.tokens.set(access, user);
    issuer.refreshTokens.set(refresh, user);
    return { access_token: access, token_type: 'Bearer', expires_in: issuer.seconds, refresh_token: refresh };
  }

  function granted(form: URLSearchParams): [number, Json] {
    issuer.grants.push(form);
    const wrong: [number, Json] = [400, { error: 'invalid_grant' }];
    if (form.get('grant_type') === 'refresh_token') {
      if (issuer.lie.refresh) return [issuer.lie.refresh.status, issuer.lie.refresh.body];
      const token = form.get('refresh_token') ?? '';
      const user = issuer.refreshTokens.get(token);
      // A rotating issuer takes each refresh token once.
      issuer.refreshTokens.delete(token);
      return user === undefined ? wrong : [200, issued(user)];
    }
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const fits = code?.challenge === challenge && code.redirect === form.get('redirect_uri');
    return code && fits && form.get('resource') === issuer.url ? [200, issued(code.user)] : wrong;
  }

  const metadata = (): Json => ({
    ...{ issuer: origin, authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` },
    ...{ registration_endpoint: `${origin}/register`, revocation_endpoint: `${origin}/revoke` },
    ...{ code_challenge_methods_supported: ['S256'], authorization_response_iss_parameter_supported: true },
    ...issuer.lie.metadata,
  });

  /** Whether the last sign-in asked for a scope. */
  const isWithin = (scope: string) => issuer.scopes.at(-1)?.split(' ').includes(scope) === true;

  function authorized(query: URLSearchParams): string {
    issuer.scopes.push(query.get('scope'));
    const to = new URL(query.get('redirect_uri') ?? '');
    to.searchParams.set('state', query.get('state') ?? '');
    const { iss = origin } = issuer.lie;
    if (iss !== null) to.searchParams.set('iss', iss);
    if (issuer.user === null) {
      to.searchParams.set('error', 'access_denied');
      return to.href;
    }
    const code = randomUUID();
    codes.set(code, {
      ...{ user: issuer.user, challenge: query.get('code_challenge') ?? '' },
      redirect: query.get('redirect_uri') ?? '',
    });
    to.searchParams.set('code', code);
    return to.href;
  }

  function rpc(request: IncomingMessage, response: ServerResponse, text: string): unknown {
    const user = issuer.tokens.get((request.headers.authorization ?? '').replace('Bearer ', ''));
    const message = text === '' ? {} : (JSON.parse(text) as Json);
    issuer.asked.push(`${message.method ?? request.method} ${user ?? 'nobody'}`);
    if (user === undefined) {
      const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
      return response.writeHead(401, { 'www-authenticate': challenge }).end();
    }
    if (request.method !== 'POST') return response.writeHead(405).end();
    const { id, method, params = {} } = message;
    if (id === undefined) return response.writeHead(202).end();
    const said = (result: Json) => json(response, 200, { jsonrpc: '2.0', id, result });
    if (method === 'initialize')
      return said({
        ...{ protocolVersion: params.protocolVersion, serverInfo: { name: 'personal', version: '1' } },
        capabilities: { tools: {}, resources: {} },
      });
    if (method === 'tools/list')
      return said({ tools: [{ name: 'whoami', description: 'Who?', inputSchema: { type: 'object' } }] });
    if (method === 'resources/list')
      return said({
        resources: [{ name: `letters of ${user}`, uri: `files://${user}` }],
        ttlMs: issuer.ttlMs,
      });
    if (method === 'tools/call' && issuer.needs !== null && !isWithin(issuer.needs)) {
      const challenge = `Bearer error="insufficient_scope", scope="${issuer.needs}"`;
      return response.writeHead(403, { 'www-authenticate': challenge }).end();
    }
    if (method === 'tools/call') return said({ content: [{ type: 'text', text: user }] });
    return json(response, 200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Unknown' } });
  }

  function answer(request: IncomingMessage, response: ServerResponse, text: string): unknown {
    const { pathname, searchParams } = new URL(request.url ?? '/', origin);
    if (pathname === '/mcp') return rpc(request, response, text);
    if (pathname === '/.well-known/oauth-protected-resource/mcp')
      return json(response, 200, { resource: issuer.url, authorization_servers: [origin] });
    if (pathname === '/.well-known/oauth-authorization-server') return json(response, 200, metadata());
    if (pathname === '/authorize')
      return response.writeHead(302, { location: authorized(searchParams) }).end();
    if (pathname === '/register') {
      issuer.registrations.push(JSON.parse(text));
      return json(response, 201, { client_id: `client-${issuer.registrations.length}` });
    }
    if (pathname === '/revoke') {
      issuer.revoked.push(new URLSearchParams(text).get('token') ?? '');
      return response.writeHead(200).end();
    }
    if (pathname === '/token') {
      const [status, body] = granted(new URLSearchParams(text));
      return setTimeout(() => json(response, status, body), issuer.delay);
    }
    return response.writeHead(404).end();
  }

  server.on('request', (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks).toString('utf8')));
  });
  return issuer;
}

function json(response: ServerResponse, status: number, body: Json): ServerResponse {
  return response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
