import type { Principal } from '../../auth/index.ts';
import type { Directory, KeyRecord, SignInRecord, WorkspaceRecord } from '../../directory/memory.ts';
import { GatewayError } from '../../errors/index.ts';
import { isGatewayKey, type Secrets } from '../../storage/secrets.ts';
import { type Authenticate, type Credential, usable } from '../authenticate.ts';
import { principalOf, workspaceOf } from '../tokens/service-account.ts';
import { whenKnown } from '../tokens/verifier.ts';
import { personIn, workspaceOfPerson } from './person.ts';

type Options = {
  directory: Pick<Directory, 'signIns' | 'users' | 'keys' | 'accounts' | 'workspaces'>;
  secrets: Pick<Secrets, 'hash'>;
  /** Told of each use of a sign-in; must neither throw nor keep anybody waiting. */
  onUse(signIn: SignInRecord): void;
  now: () => Date;
};

/**
 * Finds out whom the secret of a sign-in stands for, and what they may do now: the sign-in ends with its key, its user or
 * its service account. Throws UNAUTHENTICATED for a sign-in that is over.
 */
export function createSignInAuthenticate({ directory, secrets, onUse, now }: Options): Authenticate {
  function recordOf(signIn: SignInRecord, { workspace }: Credential): KeyRecord | Promise<KeyRecord> {
    const { holder } = signIn;
    if (holder.kind === 'key') return whenKnown(directory.keys.get(holder.secretHash), (key) => usable(key));
    if (holder.kind === 'user') {
      return whenKnown(directory.users.get(holder.userId), (user) => {
        if (!user) throw over();
        return whenKnown(workspaceOfPerson(user, workspace, directory.workspaces), (found) =>
          recordIn(found, personIn(user, found)),
        );
      });
    }
    return whenKnown(directory.accounts.get(`${holder.clientId}/${holder.tsgId}`), (account) => {
      if (!account || account.secretVersion !== holder.secretVersion) throw over();
      return whenKnown(workspaceOf(account, workspace, directory.workspaces), (found) =>
        recordIn(found, principalOf(account, found)),
      );
    });
  }

  const isOver = ({ endsAt }: SignInRecord) => endsAt <= now().getTime();

  /** Another process may have seen the sign-in in use since this one read when it ends. */
  function lastLook(hash: string): SignInRecord | null | Promise<SignInRecord | null> {
    directory.signIns.forget(hash);
    return directory.signIns.get(hash);
  }

  return (credential) => {
    if (!credential) throw new GatewayError('UNAUTHENTICATED', { message: 'Sign in first.' });
    if (!isGatewayKey(credential.secret)) throw over();
    const hash = secrets.hash(credential.secret);
    const open = whenKnown(directory.signIns.get(hash), (found) =>
      found && isOver(found) ? lastLook(hash) : found,
    );
    return whenKnown(open, (signIn) => {
      if (!signIn || isOver(signIn)) throw over();
      return whenKnown(recordOf(signIn, credential), (record) => {
        onUse(signIn);
        const { id, endsAt } = signIn;
        return {
          ...record,
          principal: { ...record.principal, signIn: { id, endsAt: new Date(endsAt) } },
        };
      });
    });
  };
}

const recordIn = (workspace: WorkspaceRecord | null, principal: Principal): KeyRecord => ({
  principal,
  expiresAt: null,
  defaultConfig: null,
  allowConfigOverride: true,
  savedConfigsOnly: workspace?.savedConfigsOnly ?? false,
  logMode: workspace?.logMode ?? null,
  limits: [],
});

const over = () => new GatewayError('UNAUTHENTICATED', { message: 'The sign-in is over. Sign in again.' });
