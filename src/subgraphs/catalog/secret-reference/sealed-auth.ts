import { invalidInput } from '../../../errors/index.ts';
import { isObject } from '../../../lib/json.ts';
import { AuthConfigProblem, mergedAuth, shownAuth } from '../../../secret-managers/auth-config.ts';
import {
  type SecretAuth,
  type SecretManagerType,
  type SecretSource,
  secretManagerOf,
} from '../../../secret-managers/index.ts';
import { maskSecret, type Secrets } from '../../../storage/secrets.ts';
import type { GraphContext } from '../../context.ts';
import type { SecretReferenceDocument } from './model.ts';

type StoredAuth = Pick<SecretReferenceDocument, 'auth' | 'sealedSecrets'>;

/** An auth config as it is stored. */
export function storedAuth(
  secrets: Secrets,
  type: SecretManagerType,
  auth: SecretAuth,
  id: string,
): StoredAuth {
  const { members } = secretManagerOf(type);
  const entries = Object.entries(auth);
  const hidden = entries.filter(([name]) => members[name]?.masked);
  return {
    auth: Object.fromEntries(entries.filter(([name]) => !members[name]?.masked)),
    sealedSecrets: hidden.length > 0 ? secrets.encrypt(JSON.stringify(Object.fromEntries(hidden)), id) : null,
  };
}

export const unsealAuth = (
  secrets: Secrets,
  { _id, auth, sealedSecrets }: Pick<SecretReferenceDocument, '_id'> & StoredAuth,
): SecretAuth => ({ ...auth, ...(sealedSecrets && JSON.parse(secrets.decrypt(sealedSecrets, _id))) });

/** The auth config as administrators see it. */
export const shownAuthConfig = (secrets: Secrets, reference: SecretReferenceDocument) =>
  shownAuth(secretManagerOf(reference.managerType), unsealAuth(secrets, reference), maskSecret);

/** What it takes to read the secret. In memory only. */
export const sourceOf = (secrets: Secrets, reference: SecretReferenceDocument): SecretSource => ({
  id: reference._id,
  slug: reference.slug,
  type: reference.managerType,
  auth: unsealAuth(secrets, reference),
  path: reference.secretPath,
});

/** The stored auth config with what an input brings, checked. */
export function checkedAuth(
  { secretManagers }: GraphContext,
  type: SecretManagerType,
  stored: SecretAuth,
  given: unknown,
): SecretAuth {
  const param = 'input.authConfig';
  if (!isObject(given)) throw invalidInput(param, 'auth_config must be an object.');
  try {
    const auth = mergedAuth(secretManagerOf(type), stored, given, maskSecret);
    const host = secretManagers.refusedLoan(type, auth);
    if (host === null) return auth;
    throw new AuthConfigProblem(
      secretManagerOf(type).wayMember,
      `asks for the identity of the gateway's machine, which SECRET_IDENTITY_HOSTS does not lend to ${host}`,
    );
  } catch (error) {
    if (error instanceof AuthConfigProblem) throw invalidInput(`${param}.${error.member}`, error.message);
    throw error;
  }
}

export function requirePath(type: SecretManagerType, path: string): void {
  const problem = secretManagerOf(type).pathProblem(path);
  if (problem) throw invalidInput('input.secretPath', `secret_path must be ${problem}.`);
}
