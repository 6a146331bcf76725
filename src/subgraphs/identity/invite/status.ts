import type { InviteDocument } from './model.ts';

/** Milliseconds for which a link is good. */
const LIFETIME = 7 * 24 * 60 * 60 * 1000;

export const expiryFrom = (now: Date): Date => new Date(now.getTime() + LIFETIME);

export const statusOf = ({ status, expiresAt }: InviteDocument, now: Date): InviteDocument['status'] =>
  status === 'pending' && expiresAt <= now ? 'expired' : status;

/** The part of a query that a status stands for. */
export function statusFilter(status: InviteDocument['status'] | null | undefined, now: Date) {
  if (!status) return {};
  const lapsed = { status: 'pending' as const, expiresAt: { $lte: now } };
  if (status === 'expired') return { $or: [{ status }, lapsed] };
  return status === 'pending' ? { status, expiresAt: { $gt: now } } : { status };
}

/** What may still be cancelled, or sent again. */
export const open = { status: { $in: ['pending', 'expired'] as InviteDocument['status'][] } };
