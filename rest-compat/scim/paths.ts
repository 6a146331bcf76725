import { resourceTypeList, schemaList, serviceProviderConfig } from './discovery.ts';
import { SCIM_BASE, type ScimEndpoint } from './exchange.ts';
import { groupList, oneGroup } from './groups.ts';
import { oneUser, userList } from './users.ts';

export type ScimPath = { endpoint: ScimEndpoint; id: string | null; isPublic: boolean };

type Place = { list: ScimEndpoint; one: ScimEndpoint | null; isPublic: boolean };

/** What the service can do says nothing of anybody, so that it takes no credential. */
const places: Readonly<Record<string, Place>> = {
  serviceproviderconfig: { list: serviceProviderConfig, one: null, isPublic: true },
  resourcetypes: { list: resourceTypeList, one: resourceTypeList, isPublic: true },
  schemas: { list: schemaList, one: schemaList, isPublic: true },
  users: { list: userList, one: oneUser, isPublic: false },
  groups: { list: groupList, one: oneGroup, isPublic: false },
};

/** The endpoint of a path below `/scim/v2`; null where there is none. */
export function findScimPath(path: string): ScimPath | null {
  const [name = '', id, ...rest] = path.slice(SCIM_BASE.length).replace(/\/$/, '').split('/').slice(1);
  const key = name.toLowerCase();
  const place = Object.hasOwn(places, key) ? places[key] : undefined;
  if (!place || rest.length > 0 || id === '') return null;
  const { list, one, isPublic } = place;
  if (id === undefined) return { endpoint: list, id: null, isPublic };
  return one && { endpoint: one, id: decoded(id), isPublic };
}

/** What cannot be decoded is nobody's id. */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
