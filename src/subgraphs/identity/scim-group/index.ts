export { findScimGroups } from './find.ts';
export { scimGroupById } from './loaders.ts';
export { findGroup } from './lookup.ts';
export { groupMemberIds, memberIdsOf, membershipsOf, removeFromGroups } from './memberships.ts';
export { groupMembershipModel, type ScimGroupDocument, scimGroupModel } from './model.ts';
