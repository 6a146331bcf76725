import type { IncomingMessage } from 'node:http';
import { usable } from '../../authentication/authenticate.ts';
import type { Directory } from '../../directory/memory.ts';
import { GatewayError } from '../../errors/index.ts';
import type { McpSnapshot } from '../../mcp/snapshot/index.ts';
import type { GraphContext } from '../../subgraphs/context.ts';
import { recordRefusedSignIn, startSignIn } from '../../subgraphs/identity/sign-in/index.ts';
import type { Cookie } from '../cookie.ts';
import { targetOf } from '../proof.ts';
import { noPerson, type Person, personOfKey, personOfSignIn } from './person.ts';

export type PersonDoor = {
  directory: Pick<Directory, 'signIns' | 'users' | 'keys' | 'accounts' | 'workspaces'>;
  cookie: Cookie;
  snapshot: Pick<McpSnapshot, 'server'>;
};

/** The person whose cookie a browser brings; null for nobody, and for somebody whose sign-in is over. */
export async function personOf(
  { request, context }: { request: IncomingMessage; context: GraphContext },
  { directory, cookie }: PersonDoor,
): Promise<Person | null> {
  const secret = cookie.read(request.headers.cookie);
  if (secret === null) return null;
  const found = await directory.signIns.get(context.secrets.hash(secret));
  if (!found || found.endsAt <= context.now().getTime()) return null;
  return personOfSignIn(directory, found);
}

const MAX_KEY = 512;

/** Signs the user of a key in; answers the secret of the sign-in. A wrong key is answered later and later. */
export async function signInByKey(
  { context }: { context: GraphContext },
  { directory }: PersonDoor,
  key: string,
): Promise<string> {
  try {
    if (key.length > MAX_KEY) throw new GatewayError('UNAUTHENTICATED');
    const secretHash = context.secrets.hash(key);
    const { principal } = usable(await directory.keys.get(secretHash));
    const holder = { kind: 'key' as const, secretHash };
    if (!personOfKey(principal, { signInId: '', holder })) throw noPerson();
    const { secret } = await startSignIn(context, { principal, holder, method: 'key' });
    return secret;
  } catch (error) {
    recordRefusedSignIn(
      context,
      { method: 'key', target: () => targetOf(context, directory, { key }) },
      error,
    );
    return context.throttle.refuse(error, { door: 'authorize', address: context.request.clientIp });
  }
}
