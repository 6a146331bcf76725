import type { Gauge } from '../gauge.ts';
import { clientNetwork } from '../http/addresses.ts';
import { BodyShare, Hold, shareFor } from './share.ts';

const MIB = 1024 * 1024;

/** Whose bodies count together: one credential, and all credentials of its organisation. */
export type BodyOwner = { id: string; organisationId: string };

export type BodyBudget = {
  /**
   * A place for the body of a request, which its reader gives back. Null stands for a caller whose credential was not looked at:
   * the address counts then.
   */
  hold(owner: BodyOwner | null, address: string | undefined): Hold;
  /** Bytes that are held now. */
  held(): number;
  /** Organisations and addresses that hold something. */
  holders(): number;
};

/** Room for what a body takes beside its bytes while it arrives in many pieces. */
const PIECES_BYTES = MIB / 4;
/** The least that one address may hold without a credential: a whole body of the graph. */
const LEAST_OF_ADDRESS = 2 * MIB;

/**
 * Bounds the request bodies that one process holds in memory. A credential has a quarter of the sum, an organisation half of
 * it, but at least room for one body of `largest` bytes. Callers without a credential have a thirty-second part together, and
 * each address a quarter of that.
 */
export function createBodyBudget({ sum = 256 * MIB, largest = 16 * MIB } = {}): BodyBudget {
  const ofOne = Math.max(sum / 4, shareFor(largest + PIECES_BYTES));
  const ofOrganisation = Math.max(sum / 2, ofOne);
  const ofAddress = Math.max(sum / 128, LEAST_OF_ADDRESS);
  const all = new BodyShare(Math.max(sum, ofOrganisation), 'BODIES_FULL');
  const strangers = new BodyShare(Math.max(sum / 32, ofAddress), 'BODIES_FULL', all);
  return {
    hold(owner, address) {
      if (owner === null)
        return new Hold(strangers.part(clientNetwork(address ?? ''), ofAddress, 'TOO_MANY_BODIES'));
      const organisation = all.part(owner.organisationId, ofOrganisation, 'TOO_MANY_BODIES');
      return new Hold(organisation.part(owner.id, ofOne, 'TOO_MANY_BODIES'));
    },
    held: () => all.bytes,
    holders: () => all.holders() + strangers.holders(),
  };
}

/** How much memory the bodies of requests take now. */
export const bodyGauge = (bodies: Pick<BodyBudget, 'held'>): Gauge => ({
  name: 'sluice_body_bytes',
  help: 'Bytes of request bodies that are held in memory.',
  read: () => bodies.held(),
});
