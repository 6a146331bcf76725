import type { OwnIdentity } from '../providers/index.ts';
import type { SecretIdentity } from '../settings/identity/secret-managers.ts';
import type { Ask } from './ask.ts';
import type { SecretContent } from './content.ts';

/** How a reference proves itself to its manager: checked members, secrets in the clear. In memory only. */
export type SecretAuth = Readonly<Record<string, string>>;

/** A member of an auth config. `masked`: sealed, and shown only as `masked_<member>`. */
export type AuthMember = { masked?: true; pattern?: RegExp; isAddress?: true };

/** A way to prove oneself. `borrows`: with the identity of the machine on which the gateway runs. */
export type AuthWay = { required: readonly string[]; optional?: readonly string[]; borrows?: true };

/** What a manager is asked for, and by what means. */
export type SecretRequest = {
  auth: SecretAuth;
  path: string;
  ask: Ask;
  identity: SecretIdentity;
  /** What the machine may prove to its clouds. Rejects with a GatewayError. */
  own: OwnIdentity;
};

/** A kind of secret manager. The rest of the program knows nothing else of it. */
export type SecretManager = {
  /** The member of an auth config that says by which way. */
  wayMember: string;
  ways: Readonly<Record<string, AuthWay>>;
  members: Readonly<Record<string, AuthMember>>;
  /** Why this cannot be the path of a secret, in words that continue "must be"; null when it can. */
  pathProblem(path: string): string | null;
  /** URL of the service that is asked for secrets. */
  addressOf(auth: SecretAuth, identity: SecretIdentity): string;
  /** Reads a secret anew. Rejects with a SecretProblem. */
  read(request: SecretRequest): Promise<SecretContent>;
};
