import { uuid } from '../../lib/ids.ts';
import type { McpConfigurations } from '../configurations/index.ts';
import type { CapabilityDocument } from './documents.ts';
import { definitionHash, hiddenReason, suspicionIn } from './judge.ts';
import type { OfferedCapability } from './read.ts';

/** Whose catalogue it is, and what its integration says of news. */
export type CatalogueOwner = {
  organisationId: string;
  mcpIntegrationId: string;
  pin: NonNullable<McpConfigurations['pin']>;
  newCapabilities: NonNullable<McpConfigurations['new_capabilities']>;
  /** Nothing was known before: what is there is what the administrator has chosen the server for. */
  isFirst: boolean;
  /** Each user may see something else: what one does not see is there for others. */
  isPerUser: boolean;
};

/** What a reading has found out. */
export type CatalogueDiff = {
  /** New documents, and those that are different now. */
  written: CapabilityDocument[];
  /** Those whose text models would read another way than before. */
  changed: CapabilityDocument[];
  /** Ids of what has been missing for too long. */
  removed: string[];
};

/** Milliseconds that the switches of what is gone are kept. */
const KEPT_MS = 7 * 86_400_000;

/** What has to be written for a catalogue to be what a server offers now. */
export function diffCatalogue(
  owner: CatalogueOwner,
  known: readonly CapabilityDocument[],
  offers: readonly OfferedCapability[],
  now: Date,
): CatalogueDiff {
  const byPlace = new Map(known.map((each) => [placeOf(each), each]));
  const diff: CatalogueDiff = { written: [], changed: [], removed: [] };
  for (const [position, offer] of offers.entries()) {
    const before = byPlace.get(placeOf(offer));
    byPlace.delete(placeOf(offer));
    const after = before
      ? renewed(owner, before, offer, position, now)
      : created(owner, offer, position, now);
    if (after === before) continue;
    diff.written.push(after);
    if (before && before.hash !== after.hash && owner.pin !== 'off') diff.changed.push(after);
  }
  for (const gone of byPlace.values()) {
    const since = owner.isPerUser ? (gone.unseenSince ?? null) : gone.missingSince;
    const mark = owner.isPerUser ? 'unseenSince' : 'missingSince';
    if (since === null) diff.written.push({ ...gone, [mark]: now, lastUpdatedAt: now });
    else if (now.getTime() - since.getTime() > KEPT_MS) diff.removed.push(gone._id);
  }
  return diff;
}

const placeOf = ({ type, key }: Pick<OfferedCapability, 'type' | 'key'>): string => `${type} ${key}`;

function judged({ type, name, key, definition }: OfferedCapability) {
  const hidden = type === 'tool' ? hiddenReason(definition) : null;
  // Nobody else shall have to walk a schema that is hidden because it is hard to walk.
  const kept =
    hidden === null ? definition : { ...definition, inputSchema: undefined, outputSchema: undefined };
  return {
    ...{ type, name, key, hidden },
    definition: JSON.stringify(kept),
    hash: definitionHash(kept),
    suspicious: suspicionIn(definition),
  };
}

function created(
  { organisationId, mcpIntegrationId, pin, newCapabilities, isFirst }: CatalogueOwner,
  offer: OfferedCapability,
  position: number,
  now: Date,
): CapabilityDocument {
  const members = judged(offer);
  return {
    ...{ _id: uuid(), organisationId, mcpIntegrationId, ...members, position },
    previousHash: null,
    definitionChangedAt: null,
    enabled: isFirst || newCapabilities === 'enabled',
    isQuarantined: pin === 'block' && members.suspicious !== null,
    ...{ missingSince: null, unseenSince: null },
    createdAt: now,
    lastUpdatedAt: now,
  };
}

/** The same document where nothing is different. */
function renewed(
  { pin }: CatalogueOwner,
  before: CapabilityDocument,
  offer: OfferedCapability,
  position: number,
  now: Date,
): CapabilityDocument {
  const members = judged(offer);
  const isSame =
    before.definition === members.definition &&
    before.name === members.name &&
    before.position === position &&
    before.missingSince === null &&
    (before.unseenSince ?? null) === null;
  if (isSame) return before;
  const isChange = before.hash !== members.hash && pin !== 'off';
  return {
    ...before,
    ...members,
    position,
    ...{ missingSince: null, unseenSince: null },
    ...(isChange && { previousHash: before.hash, definitionChangedAt: now }),
    isQuarantined: before.isQuarantined || (isChange && pin === 'block'),
    lastUpdatedAt: now,
  };
}
