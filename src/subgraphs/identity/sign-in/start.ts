import type { Principal } from '../../../auth/index.ts';
import type { SignInHolder } from '../../../directory/memory.ts';
import { uuid } from '../../../lib/ids.ts';
import { redactText } from '../../../lib/redaction.ts';
import type { GraphContext } from '../../context.ts';
import { recordSignIn } from './audit.ts';
import { endAfterUse, LIFE_MS } from './lifetime.ts';
import { type SignInDocument, type SignInMethod, signInModel } from './model.ts';

/** Sign-ins that one user or credential may have at a time: a further one ends the oldest. */
const MAX_SIGN_INS = 50;
/** Characters of what a browser says about itself. */
const MAX_USER_AGENT = 300;

type Person = Pick<Principal, 'kind' | 'id' | 'userId' | 'name' | 'organisationId'>;

/** Somebody who has proven who they are, and how. */
export type Proven = { principal: Person; holder: SignInHolder; method: SignInMethod };

/** Signs somebody in; the answer is the only place where the secret of the cookie stands. */
export async function startSignIn(
  context: GraphContext,
  { principal, holder, method }: Proven,
): Promise<{ secret: string; signIn: SignInDocument }> {
  const { db, secrets, request } = context;
  const now = context.now();
  const expiresAt = new Date(now.getTime() + LIFE_MS);
  const owner = { organisationId: principal.organisationId, principalId: principal.id };
  await endOldest(context, owner);
  const secret = secrets.generateKey();
  const created = await signInModel(db).create({
    ...owner,
    _id: uuid(),
    kind: principal.kind,
    userId: principal.userId,
    name: principal.name,
    method,
    holder,
    secretHash: secrets.hash(secret),
    clientIp: request.clientIp,
    userAgent: redactText(request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT),
    lastSeenAt: now,
    endsAt: endAfterUse(now, expiresAt),
    expiresAt,
  });
  const signIn = created.toObject<SignInDocument>();
  await recordSignIn(context, signIn, 'create');
  return { secret, signIn };
}

async function endOldest(
  { db, changes }: GraphContext,
  owner: Pick<SignInDocument, 'organisationId' | 'principalId'>,
): Promise<void> {
  const surplus = await signInModel(db)
    .find(owner, { _id: 1 })
    .sort({ createdAt: -1, _id: -1 })
    .skip(MAX_SIGN_INS - 1)
    .lean<{ _id: string }[]>();
  if (surplus.length === 0) return;
  await signInModel(db).deleteMany({ ...owner, _id: { $in: surplus.map(({ _id }) => _id) } });
  await changes.publish('sign_in');
}
