import { isObject } from '../../lib/json.ts';
import { type ManagerAnswer, requireServing } from '../ask.ts';
import { SecretContent } from '../content.ts';
import type { SecretManager, SecretRequest } from '../manager.ts';
import { SecretProblem } from '../problem.ts';
import { tokenFor } from './login.ts';

/** HashiCorp Vault and OpenBao: key-value engines of both versions. */
export const hashicorpVault: SecretManager = {
  wayMember: 'vault_auth_type',
  ways: {
    token: { required: ['vault_addr', 'vault_token'], optional: ['vault_namespace'] },
    approle: { required: ['vault_addr', 'vault_role_id', 'vault_secret_id'], optional: ['vault_namespace'] },
    kubernetes: { required: ['vault_addr', 'vault_role'], optional: ['vault_namespace'], borrows: true },
  },
  members: {
    vault_addr: { isAddress: true },
    vault_token: { masked: true, pattern: /^[\x21-\x7e]+$/ },
    vault_role_id: { pattern: /^[\x20-\x7e]+$/ },
    vault_secret_id: { masked: true, pattern: /^[\x20-\x7e]+$/ },
    vault_role: { pattern: /^[\x20-\x7e]+$/ },
    vault_namespace: { pattern: /^[\w./-]+$/ },
  },
  pathProblem: (path) =>
    /^[^\p{Cc}?#\\]+$/u.test(path) && !segments(path).some((each) => each === '' || /^\.{1,2}$/.test(each))
      ? null
      : 'the path of a secret, such as `secret/openai` or `secret/data/openai`',
  addressOf: ({ vault_addr: address = '' }) => address,
  async read(request) {
    const { auth } = request;
    const headers: Record<string, string> = {
      'x-vault-request': 'true',
      ...(auth.vault_namespace !== undefined && { 'x-vault-namespace': auth.vault_namespace }),
    };
    const login = await tokenFor(request, headers);
    const answer = await lookUp(request, { ...headers, 'x-vault-token': login.token });
    if (answer.status !== 403 || !login.forget) return contentOf(answer);
    // A token of a login may end before its time.
    login.forget();
    const { token } = await tokenFor(request, headers);
    return contentOf(await lookUp(request, { ...headers, 'x-vault-token': token }));
  },
};

/** What Vault answers for the path, which may lack the `data` that engines of version 2 have behind their mount. */
async function lookUp(request: SecretRequest, headers: Record<string, string>): Promise<ManagerAnswer> {
  const answer = await get(request, request.path, headers);
  // Policies mostly allow the path with `data` alone, so that the other one is refused before Vault could say what is wrong.
  if (answer.status !== 403 && !(answer.status === 404 && saysVersioned(answer))) return answer;
  const versioned = await versionedPath(request, headers);
  return versioned === null ? answer : get(request, versioned, headers);
}

const segments = (path: string): string[] => path.replace(/^\/|\/$/g, '').split('/');

async function get(
  { auth, ask }: SecretRequest,
  path: string,
  headers: Record<string, string>,
): Promise<ManagerAnswer> {
  const place = segments(path).map(encodeURIComponent).join('/');
  const answer = await ask({
    method: 'GET',
    url: `${auth.vault_addr?.replace(/\/+$/, '')}/v1/${place}`,
    headers,
  });
  requireServing(answer, 'Vault');
  return answer;
}

/** Whether an answer warns that the path lacks the `data` which engines of version 2 have behind their mount. */
const saysVersioned = ({ json }: ManagerAnswer): boolean =>
  isObject(json) &&
  Array.isArray(json.warnings) &&
  json.warnings.some((each) => /versioned/i.test(String(each)));

/** The path with `data` in an engine of version 2; null where it has that, or Vault tells of no such engine. */
async function versionedPath(
  request: SecretRequest,
  headers: Record<string, string>,
): Promise<string | null> {
  const path = segments(request.path).join('/');
  const { json } = await get(request, `sys/internal/ui/mounts/${path}`, headers);
  const { path: mount, options } = isObject(json) && isObject(json.data) ? json.data : {};
  if (!isObject(options) || options.version !== '2') return null;
  if (typeof mount !== 'string' || mount === '' || !path.startsWith(mount)) return null;
  const place = path.slice(mount.length);
  return place.startsWith('data/') ? null : `${mount}data/${place}`;
}

function contentOf({ status, json }: ManagerAnswer): SecretContent {
  if (status === 404) throw new SecretProblem('missing', 'Vault has no such secret.');
  if (status !== 200)
    throw new SecretProblem('denied', `Vault does not give this secret (status ${status}).`);
  const data = isObject(json) ? json.data : undefined;
  // An engine of version 2 puts the secret beside what it knows of the version.
  const members =
    isObject(data) && isObject(data.metadata) && 'version' in data.metadata && 'data' in data
      ? data.data
      : data;
  if (isObject(members)) return SecretContent.ofMembers(members);
  throw new SecretProblem('unreadable', 'Vault answered no secret.');
}
