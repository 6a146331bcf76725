import { type CounterDocument, SILENCE_MS, type StoredLease } from '../counters/document.ts';
import { isBucket } from './bucket.ts';
import { adopt, renewed } from './lease.ts';
import type { KnownCounter, Slot, Stray } from './slot.ts';
import { revoke, type Slots } from './slots.ts';

/** What a slot learns from a document that was asked for at `readAt`, after a message that was sent then too. */
export function learn(slots: Slots, slot: Slot, document: CounterDocument | undefined, readAt: number): void {
  const before = slot.lease.seen;
  if (!adopt(slot.lease, document)) {
    slot.lease = renewed(slot.lease, slots.nextKey());
    slot.reportable = { used: 0, before: 0 };
  }
  const mine = document?.L[slot.lease.key];
  if (mine && slot.lease.seen !== before && slot.lease.seen === slot.lease.sent) {
    slot.confirmedAt = readAt;
    slot.reportable = { used: slot.usedAtSend, before: mine.t };
  }
  const isEdited = slot.known !== null && document !== undefined && slot.known.ver !== document.ver;
  slot.known = document ? knownOf(slots, slot, document, readAt) : null;
  slot.local = null;
  if (isEdited) revoke(slot);
}

function knownOf(slots: Slots, slot: Slot, document: CounterDocument, readAt: number): KnownCounter {
  const { ver, cap, room, fill, at, fullAt, gen, overshoot, L } = document;
  const time = latestTime(document);
  const strays: Stray[] = [];
  let idle = 0;
  let held = 0;
  let abandoned = 0;
  let processes = 1;
  for (const [key, lease] of Object.entries(L)) {
    if (key === slot.lease.key) continue;
    const { s, g, u, h, t } = lease;
    if (slots.isOwnKey(key)) strays.push({ key, s, room: g - u, fill: 0 });
    else if (t > time - SILENCE_MS) {
      idle += Math.max(0, g - u - h);
      held += h;
      processes += 1;
    } else {
      const stray = strayOf(slot, key, lease);
      if (stray) strays.push(stray);
      else abandoned += Math.max(0, g - u);
    }
  }
  return {
    ver,
    cap,
    room,
    fill,
    at,
    fullAt,
    gen,
    idle,
    held,
    overshoot,
    abandoned,
    processes,
    strays,
    readAt,
  };
}

/** What becomes of the lease of a process that died without a trace; null where it stays spent until the window ends. */
function strayOf(slot: Slot, key: string, { s, g, u, h }: StoredLease): Stray | null {
  if (isBucket(slot)) return { key, s, room: 0, fill: g - u };
  return slot.limit.onCrash === 'return' ? { key, s, room: g - u - h, fill: h } : null;
}

/** The latest time that the store has written into a document; 0 where there is none. */
export const latestTime = ({ L }: CounterDocument): number =>
  Object.values(L).reduce((latest, { t }) => Math.max(latest, t), 0);
