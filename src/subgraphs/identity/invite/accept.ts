import { GatewayError } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { ownAddress } from '../../own-address.ts';
import type { AcceptInviteInput } from '../../types.generated.ts';
import { ensureUserKey } from '../api-key/index.ts';
import { ensureMembers } from '../member/index.ts';
import { makeSignInLink, OWN_LINK_MS, signInLinkTo } from '../sign-in-link/index.ts';
import { isActive, type UserDocument, userModel } from '../user/index.ts';
import { type WorkspaceDocument, workspaceModel } from '../workspace/index.ts';
import { recordAcceptance } from './audit.ts';
import { type InviteDocument, inviteModel } from './model.ts';

type Place = Pick<WorkspaceDocument, '_id' | 'name'>;

const notFound = () =>
  new GatewayError('NOT_FOUND', { message: 'The invite does not exist, has expired or was used.' });

/**
 * Makes what the invite promises. Every step may be repeated until the link is spent, so that a crash on the way loses
 * nothing; of several tries at once, all do the same and the one that spends the link shows the keys.
 */
export async function acceptInvite(context: GraphContext, { token, ...names }: AcceptInviteInput) {
  const secretHash = context.secrets.hash(token);
  const invite = await claim(context, secretHash);
  const { organisationId } = invite;
  const user = await ensureUser(context, invite, names);
  if (!isActive(user)) throw notFound();
  const places = await placesOf(context, invite);
  await ensureMembers(
    context,
    organisationId,
    invite.workspaces
      .filter(({ workspaceId }) => places.has(workspaceId))
      .map((entry) => ({ ...entry, userId: user._id })),
  );
  await context.changes.publish('user');
  const apiKeys = await ensureKeys(context, invite, user, [...places.values()], token);
  const spent = await spend(context, invite, secretHash);
  await recordAcceptance(context, { before: invite, after: spent }, user);
  const { secret } = await makeSignInLink(context, {
    organisationId,
    userId: user._id,
    createdBy: user._id,
    livesMs: OWN_LINK_MS,
  });
  const signInLink = signInLinkTo(ownAddress(context), secret);
  return { userId: user._id, email: user.email, organisationId, apiKeys, signInLink };
}

/** The invite as it was; from here on it can neither be cancelled nor sent again. */
async function claim(context: GraphContext, secretHash: string): Promise<InviteDocument> {
  const invites = inviteModel(context.db);
  const now = context.now();
  const link = { secretHash, expiresAt: { $gt: now } };
  const claimed = await invites
    .findOneAndUpdate(
      { ...link, status: 'pending' },
      { status: 'accepted', acceptedAt: now },
      { returnDocument: 'before' },
    )
    .lean<InviteDocument>();
  // Claimed, but not spent: by a try that goes on at this moment, or that never came to its end.
  const found = claimed ?? (await invites.findOne({ ...link, status: 'accepted' }).lean<InviteDocument>());
  if (found) return found;
  await context.throttle.slow({ door: 'invite', address: context.request.clientIp });
  throw notFound();
}

async function ensureUser(
  context: GraphContext,
  { organisationId, email, role }: InviteDocument,
  names: Pick<UserDocument, 'firstName' | 'lastName'>,
): Promise<UserDocument> {
  return userModel(context.db)
    .findOneAndUpdate(
      { organisationId, email },
      { $setOnInsert: { _id: uuid(), role, ...names } },
      { upsert: true, returnDocument: 'after' },
    )
    .orFail()
    .lean<UserDocument>();
}

/** The workspaces of the invite that are still there, by id. */
async function placesOf(
  context: GraphContext,
  { organisationId, workspaces }: InviteDocument,
): Promise<Map<string, Place>> {
  const found = await workspaceModel(context.db)
    .find({ organisationId, _id: { $in: workspaces.map(({ workspaceId }) => workspaceId) } }, { name: 1 })
    .lean<Place[]>();
  return new Map(found.map((workspace) => [workspace._id, workspace]));
}

/** Keys under secrets that follow from the link's: every try makes the same ones, and who sent the link cannot. */
async function ensureKeys(
  context: GraphContext,
  { organisationId, keyScopes }: InviteDocument,
  { _id: userId, email }: UserDocument,
  places: Place[],
  token: string,
) {
  if (!keyScopes) return [];
  const keys = places.map(({ _id: workspaceId, name }) => ({
    workspaceId,
    workspaceName: name,
    key: context.secrets.derivedKey(`${token} ${workspaceId}`),
  }));
  const made = keys.map(async ({ key, workspaceId, workspaceName }) => {
    const owner = { organisationId, workspaceId, userId };
    const id = await ensureUserKey(context, key, { ...owner, name: `Key of ${email}`, scopes: keyScopes });
    return { id, key, workspaceId, workspaceName };
  });
  const apiKeys = await Promise.all(made);
  await context.changes.publish('api_key');
  return apiKeys;
}

async function spend(
  context: GraphContext,
  { _id, organisationId }: InviteDocument,
  secretHash: string,
): Promise<InviteDocument> {
  const spent = await inviteModel(context.db)
    .findOneAndUpdate({ _id, organisationId, secretHash }, { secretHash: null }, { returnDocument: 'after' })
    .lean<InviteDocument>();
  if (!spent) throw notFound();
  return spent;
}
