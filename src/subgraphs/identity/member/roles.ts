import type { UpdateWithAggregationPipeline } from 'mongoose';
import type { MemberDocument, MemberRole } from './model.ts';

const ranks: readonly MemberRole[] = ['member', 'manager', 'admin'];

/** True when the first role allows less than the second. */
export const isWeaker = (role: MemberRole, than: MemberRole): boolean =>
  ranks.indexOf(role) < ranks.indexOf(than);

/** Null for what a group alone gives. */
export const ownRoleOf = ({ role, groupRole, ownRole }: MemberDocument): MemberRole | null =>
  groupRole ? (ownRole ?? null) : role;

/** Matches memberships of which nothing was given by hand. */
export const givenByGroupsAlone = { groupRole: { $ne: null }, ownRole: null };

const hasGroupRole = { $ne: [{ $type: '$groupRole' }, 'missing'] };

const strongest = (roles: unknown[]) => ({
  $cond: [{ $in: ['admin', roles] }, 'admin', { $cond: [{ $in: ['manager', roles] }, 'manager', 'member'] }],
});

/** Both roles are compared in the store, so that neither side overwrites what the other one gives meanwhile. */
export const withGroupRole = (groupRole: MemberRole, now: Date): UpdateWithAggregationPipeline => [
  {
    $set: {
      ownRole: { $cond: [hasGroupRole, '$ownRole', '$role'] },
      groupRole,
      lastUpdatedAt: now,
    },
  },
  { $set: { role: strongest([groupRole, '$ownRole']) } },
];

/** What was given by hand is left. */
export const withoutGroupRole = (now: Date): UpdateWithAggregationPipeline => [
  { $set: { role: '$ownRole', lastUpdatedAt: now } },
  { $unset: ['groupRole', 'ownRole'] },
];

/** What groups give counts on where it allows more. */
export const withOwnRole = (ownRole: MemberRole, now: Date): UpdateWithAggregationPipeline => [
  {
    $set: {
      role: { $cond: [hasGroupRole, strongest([ownRole, '$groupRole']), ownRole] },
      ownRole: { $cond: [hasGroupRole, ownRole, '$$REMOVE'] },
      lastUpdatedAt: now,
    },
  },
];

/** For memberships that a group gives too. */
export const withoutOwnRole = (now: Date): UpdateWithAggregationPipeline => [
  { $set: { role: '$groupRole', ownRole: null, lastUpdatedAt: now } },
];
