import { GatewayError } from '../errors/index.ts';
import type { HostPolicy } from '../lib/http/custom-host.ts';
import { hostnameOf } from '../lib/http/custom-host.ts';
import { createOwnIdentity } from '../providers/index.ts';
import type { SecretManagerSettings } from '../settings/identity/secret-managers.ts';
import { asking } from './ask.ts';
import { awsSecretsManager } from './aws/index.ts';
import { azureKeyVault } from './azure/index.ts';
import type { SecretContent } from './content.ts';
import { mayBorrow } from './identity.ts';
import type { SecretAuth, SecretManager } from './manager.ts';
import { SecretProblem } from './problem.ts';
import { hashicorpVault } from './vault/index.ts';

export { SecretContent, type ValueFormat } from './content.ts';
export type { AuthMember, AuthWay, SecretAuth, SecretManager } from './manager.ts';
export { type SecretFault, SecretProblem } from './problem.ts';

const managers = {
  aws_sm: awsSecretsManager,
  azure_kv: azureKeyVault,
  hashicorp_vault: hashicorpVault,
} satisfies Record<string, SecretManager>;

/** The kinds of secret managers, as the API names them. */
export type SecretManagerType = keyof typeof managers;

export const secretManagerOf = (type: SecretManagerType): SecretManager => managers[type];

/** What is needed to read a secret: a stored reference with its auth config in the clear. In memory only. */
export type SecretSource = {
  /** Of the reference. */
  id: string;
  slug: string;
  type: SecretManagerType;
  auth: SecretAuth;
  path: string;
};

export type SecretManagers = {
  /** Reads a secret anew. Rejects with a SecretProblem. */
  read(source: Omit<SecretSource, 'id' | 'slug'>): Promise<SecretContent>;
  /** The host to which an auth config would take the identity of this machine though it may not; null for none. */
  refusedLoan(type: SecretManagerType, auth: SecretAuth): string | null;
};

/** `send`: the connections of the gateway, which judge each address. */
export function createSecretManagers(
  { timeoutMs, identity }: SecretManagerSettings,
  hostPolicy: HostPolicy,
  send: typeof fetch,
): SecretManagers {
  const ask = asking(send, timeoutMs);
  const own = createOwnIdentity(identity.cloud);

  function refusedLoan(type: SecretManagerType, auth: SecretAuth): string | null {
    const manager: SecretManager = managers[type];
    if (!manager.ways[auth[manager.wayMember] ?? '']?.borrows) return null;
    const host = hostnameOf(new URL(manager.addressOf(auth, identity)));
    return mayBorrow(identity, host) ? null : host;
  }

  return {
    refusedLoan,
    async read({ type, auth, path }) {
      const manager: SecretManager = managers[type];
      const problem = hostPolicy.problem(manager.addressOf(auth, identity));
      if (problem) throw new SecretProblem('denied', `The address of the manager is refused: ${problem}.`);
      const host = refusedLoan(type, auth);
      if (host !== null)
        throw new SecretProblem(
          'denied',
          `SECRET_IDENTITY_HOSTS does not lend this machine's identity to ${host}.`,
        );
      return manager.read({ auth, path, ask, identity, own }).catch(translate);
    },
  };
}

/** The identity of the machine says in an error of the gateway why it has nothing to show. */
function translate(error: unknown): never {
  if (!(error instanceof GatewayError)) throw error;
  throw new SecretProblem(error.entry.status >= 500 ? 'unreachable' : 'denied', error.message, error);
}
