import { createHash, randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { bodyOf } from '../../rest-compat/support.ts';
import type { Tenant, TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { addUser } from '../../support/users.ts';

type Json = Record<string, any>;

export const REDIRECT = 'https://client.example/callback';
/** A verifier and its challenge. */
export const pkce = () => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

export type Answered = { status: number; body: Json; headers: Headers };

/** A POST of a form, as clients send it. */
export async function post(
  app: Pick<TestApp, 'url'>,
  path: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const response = await fetch(`${app.url}/oauth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  });
  return { status: response.status, body: (await response.json()) as Json, headers: response.headers };
}

export const register = async (app: TestApp, metadata: Json = {}, from?: string): Promise<Answered> => {
  const { status, body, headers } = await app.rest('POST', '/oauth/register', {
    key: null,
    body: {
      ...{ client_name: 'A client', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
      ...metadata,
    },
    headers: from === undefined ? {} : { 'x-forwarded-for': from },
  });
  return { status, body: body as Json, headers };
};

/** The id of a client that has registered itself. */
export async function clientOf(app: TestApp, metadata: Json = {}): Promise<string> {
  const { status, body } = await register(app, metadata);
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.client_id;
}

/** A user of a tenant, and a key of theirs. */
export async function userWithKey(app: TestApp, tenant: Tenant = app, scopes: string[] = ['mcp.invoke']) {
  const { _id: userId } = await addUser(app, { tenant, inWorkspace: 'member' });
  const made = await app.rest('POST', '/v1/api-keys/workspace/user', {
    key: tenant.adminKey,
    body: { name: 'of a person', scopes, workspace_id: tenant.workspaceId, user_id: userId },
  });
  expect(made).toMatchObject({ status: 200 });
  const { id, key } = made.body as { id: string; key: string };
  return { userId, keyId: id, key };
}

/** An MCP server of a tenant on the built-in one. */
export async function mcpServer(app: TestApp, slug: string, more: Json = {}, tenant: Tenant = app) {
  const { adminKey: key, workspaceId: workspace_id } = tenant;
  const given = { name: slug, slug, url: 'mock://server', auth_type: 'none', transport: 'http', ...more };
  bodyOf(await app.rest('POST', '/v1/mcp-integrations', { key, body: given }));
  return bodyOf(
    await app.rest('POST', '/v1/mcp-servers', {
      ...{ key, body: { name: slug, slug, mcp_integration_id: slug, workspace_id } },
    }),
  ).id as string;
}

export type Page = { status: number; text: string; headers: Headers; location: URL | null };

/** A browser: it keeps cookies and follows nothing by itself. */
export function browser(app: Pick<TestApp, 'url'>) {
  const cookies = new Map<string, string>();
  async function visit(path: string, init: RequestInit = {}): Promise<Page> {
    const response = await fetch(new URL(path, `${app.url}/oauth/`), {
      redirect: 'manual',
      ...init,
      headers: {
        ...(cookies.size > 0 && {
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        }),
        ...(init.headers as Record<string, string>),
      },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const at = pair.indexOf('=');
      if (cookie.includes('Max-Age=0')) cookies.delete(pair.slice(0, at));
      else cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const to = response.headers.get('location');
    return {
      status: response.status,
      text: await response.text(),
      headers: response.headers,
      location: to === null ? null : new URL(to, `${app.url}/oauth/authorize`),
    };
  }
  return {
    cookies,
    visit,
    /** Presses a button of a page. */
    press(page: Page, decision: string, fields: Record<string, string> = {}, headers: Json = {}) {
      const request = /name="request" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
      return visit('authorize', {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
          ...headers,
        },
        body: new URLSearchParams({ request, decision, ...fields }).toString(),
      });
    },
  };
}

export type Browser = ReturnType<typeof browser>;

export type Wanted = {
  clientId: string;
  challenge?: string;
  redirectUri?: string;
  resource?: string | null;
  scope?: string;
  more?: Record<string, string>;
};

/** The path with which a client sends a browser to the gateway. */
export const authorizePath = (app: TestApp, wanted: Wanted): string => {
  const { clientId, challenge = pkce().challenge, redirectUri = REDIRECT, resource, scope } = wanted;
  return `authorize?${new URLSearchParams({
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, state: 'the state' },
    ...{ code_challenge: challenge, code_challenge_method: 'S256' },
    ...(resource !== null && { resource: resource ?? `${app.url}/tools/mcp` }),
    ...(scope !== undefined && { scope }),
    ...wanted.more,
  })}`;
};

/** Signs in with a key, and answers the page that asks for consent. */
export async function signedIn(at: Browser, path: string, key: string): Promise<Page> {
  const asked = await at.visit(path);
  expect(asked).toMatchObject({ status: 200, text: expect.stringContaining('Sign in') });
  const sent = await at.press(asked, 'sign_in', { key });
  expect(sent.status).toBe(303);
  return at.visit(sent.location?.href ?? '');
}

/** The code that somebody lets a client have. */
export async function codeFor(app: TestApp, key: string, wanted: Wanted): Promise<string> {
  const at = browser(app);
  const page = await signedIn(at, authorizePath(app, wanted), key);
  // Who has agreed before is not asked again.
  const answered = page.status === 303 ? page : await at.press(page, 'allow');
  expect(answered.status).toBe(303);
  return answered.location?.searchParams.get('code') ?? '';
}

/** Tokens that somebody lets a client have, at the MCP server `tools` unless another is named. */
export async function tokensFor(app: TestApp, key: string, wanted: Wanted): Promise<Json> {
  const { verifier, challenge } = pkce();
  const code = await codeFor(app, key, { ...wanted, challenge });
  const { status, body } = await post(app, 'token', {
    ...{ grant_type: 'authorization_code', code, code_verifier: verifier, client_id: wanted.clientId },
    redirect_uri: wanted.redirectUri ?? REDIRECT,
  });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

/** What a token means to the holder of a key. */
export const introspected = async (app: Pick<TestApp, 'url'>, token: string, key: string): Promise<Json> =>
  (await post(app, 'introspect', { token }, { 'x-gateway-api-key': key })).body;

/** Waits until a token is none any more. */
export const untilInactive = (app: Pick<TestApp, 'url'>, token: string, key: string) =>
  eventually(async () => expect(await introspected(app, token, key)).toEqual({ active: false }));
