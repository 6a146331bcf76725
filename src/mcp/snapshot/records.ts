import type { JsonObject } from '../../lib/json.ts';
import type { CapabilityType, ServerDescription } from '../catalogue/index.ts';
import type { UpstreamTarget } from '../target.ts';
import type { Era } from '../upstream/index.ts';

/** Something that callers of an MCP server may use. */
export type UsableCapability = {
  readonly type: CapabilityType;
  readonly name: string;
  /** What calls name it by. */
  readonly key: string;
  /** As the server behind it wrote it. */
  readonly definition: JsonObject;
  /** SHA-256 of what models read of it. */
  readonly hash: string;
};

/** What the server behind an integration said of itself when it was read last. */
export type UpstreamHello = {
  readonly era: Era | null;
  readonly protocolVersion: string | null;
  readonly capabilities: JsonObject;
  readonly instructions: string | null;
  /** Null where it said nothing. */
  readonly server: ServerDescription | null;
  /** The server could not be read the last time. */
  readonly isStale: boolean;
};

/** An MCP server as calls need it: all that administrators have said, made into what its callers may do now. */
export type McpServerRecord = {
  readonly id: string;
  readonly slug: string;
  readonly organisationId: string;
  readonly workspaceId: string;
  /** How the server behind it is reached, secrets in the clear. */
  readonly upstream: UpstreamTarget;
  readonly integrationSlug: string;
  /** False while the workspace of the MCP server may not use its integration. */
  readonly isGranted: boolean;
  readonly defaultUserAccess: 'allow' | 'deny';
  /** What holds for single users, whatever the default says. */
  readonly users: ReadonlyMap<string, boolean>;
  /** Null until the server behind it was read once: until then nothing of it may be used. */
  readonly hello: UpstreamHello | null;
  /** What callers may use, by type and then in the order of the server. */
  readonly usable: Readonly<Record<CapabilityType, readonly UsableCapability[]>>;
  /** The same by `<type> <key>`. */
  readonly byPlace: ReadonlyMap<string, UsableCapability>;
  /** Keys of what is kept from callers, by `<type> <key>`: what they are answered is that it is unknown. */
  readonly keptBack: ReadonlySet<string>;
  /** Own names of tools of which each call by a model waits for somebody's approval. */
  readonly approvedFirst: ReadonlySet<string>;
  /** Another text once anything of the above is different. */
  readonly revision: string;
};

/** How a capability stands in `byPlace`. */
export const placeOf = (type: CapabilityType, key: string): string => `${type} ${key}`;
