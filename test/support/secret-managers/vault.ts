import { json, type ReceivedRequest, type Script } from '../provider.ts';

export const TOKEN = 'hvs.CAESIJ0123456789abcdefghijklmnop';
export const ROLE_ID = 'role-id-4711';
export const SECRET_ID = 'secret-id-0123456789';
export const POD_TOKEN = 'pod-service-account-token';
export const POD_ROLE = 'sluice';

export type VaultServer = {
  /** Members by path: `kv1/…` is an engine of version 1, `secret/…` one of version 2. */
  secrets: Map<string, Record<string, unknown>>;
  /** Tokens that logins gave and that are still good. */
  tokens: Set<string>;
  /** When set, the namespace that has the engines. */
  namespace: string | undefined;
  /** When set, the one path that the tokens' policy allows, beside what the default policy does. */
  allowed: string | undefined;
  script: Script;
};

const problems = (status: number, ...warnings: string[]) =>
  json(status, warnings.length > 0 ? { errors: [], warnings, data: null } : { errors: ['said by Vault'] });

/** As Vault and OpenBao answer: logins, both versions of the key-value engine, and where engines are mounted. */
export function vaultServer(): VaultServer {
  const server: VaultServer = {
    secrets: new Map(),
    tokens: new Set(),
    namespace: undefined,
    allowed: undefined,
    script: (request, response, raw) => answerOf(server, request)(request, response, raw),
  };
  return server;
}

function answerOf(server: VaultServer, { method, url, headers, body }: ReceivedRequest): Script {
  if (headers['x-vault-namespace'] !== server.namespace) return problems(404);
  const path = decodeURIComponent(url.replace(/^(?:\/\d+)?\/v1\//, ''));
  if (method === 'POST') return logIn(server, path, JSON.parse(body.toString()));
  const token = String(headers['x-vault-token']);
  if (token !== TOKEN && !server.tokens.has(token)) return problems(403);
  const mount = /^sys\/internal\/ui\/mounts\/(secret|kv1)(\/|$)/.exec(path)?.[1];
  if (mount)
    return json(200, {
      data: { path: `${mount}/`, type: 'kv', options: { version: mount === 'kv1' ? '1' : '2' } },
    });
  if (server.allowed !== undefined && path !== server.allowed) return problems(403);
  if (path.startsWith('kv1/')) {
    const data = server.secrets.get(path);
    return data ? json(200, { lease_duration: 2_764_800, data }) : problems(404);
  }
  if (!path.startsWith('secret/data/'))
    return problems(
      404,
      'Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints to use.',
    );
  const data = server.secrets.get(path.replace('secret/data/', 'secret/'));
  const metadata = { created_time: '2026-01-01T00:00:00Z', deletion_time: '', destroyed: false, version: 3 };
  return data ? json(200, { data: { data, metadata } }) : problems(404);
}

function logIn(server: VaultServer, path: string, given: Record<string, unknown>): Script {
  const isGood =
    path === 'auth/approle/login'
      ? given.role_id === ROLE_ID && given.secret_id === SECRET_ID
      : path === 'auth/kubernetes/login' && given.role === POD_ROLE && given.jwt === POD_TOKEN;
  if (!isGood) return problems(400);
  const token = `hvs.login-${server.tokens.size}-${Math.random()}`;
  server.tokens.add(token);
  return json(200, { auth: { client_token: token, lease_duration: 3600, renewable: true } });
}
