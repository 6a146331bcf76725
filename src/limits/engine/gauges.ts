import type { Gauge } from '../../lib/gauge.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { isPassed, type Slot } from '../ledger/slot.ts';

type Sums = {
  roundSeconds(): number;
  waitSeconds(): number;
  now(): number;
  clockSkew(): number;
  isJournalLost(): boolean;
  recovered(): number;
};

/** What the engine tells of itself. */
export const limitGauges = (
  ledger: Ledger,
  { roundSeconds, waitSeconds, now, clockSkew, isJournalLost, recovered }: Sums,
): Gauge[] => [
  {
    name: 'sluice_limits_open_reservations',
    help: 'Reservations of calls that have not ended.',
    read: () => ledger.open,
  },
  {
    name: 'sluice_limits_decisions',
    help: 'Questions to limits, by how they were answered.',
    kind: 'counter',
    label: 'outcome',
    read: () => [
      ['taken', ledger.taken],
      ['refused', ledger.refused],
    ],
  },
  {
    name: 'sluice_limits_waiting',
    help: 'Calls that wait for limits.',
    read: () => ledger.rounds.waiting.size,
  },
  {
    name: 'sluice_limits_counters',
    help: 'Counters of limits in memory.',
    read: () => ledger.slots.size,
  },
  {
    name: 'sluice_limits_overshoot',
    help: 'Counters in memory of which more was used than their limit allows.',
    aggregator: 'max',
    read: () => counted(ledger, isPassed),
  },
  {
    name: 'sluice_limits_abandoned',
    help: 'Counters in memory of which a silent process holds a part.',
    aggregator: 'max',
    read: () => counted(ledger, ({ known }) => (known?.abandoned ?? 0) > 0),
  },
  {
    name: 'sluice_limits_rounds',
    help: 'Exchanges with the store about limits.',
    kind: 'counter',
    read: () => ledger.rounds.count,
  },
  {
    name: 'sluice_limits_round_seconds',
    help: 'Seconds that all exchanges with the store about limits took.',
    kind: 'counter',
    read: roundSeconds,
  },
  {
    name: 'sluice_limits_wait_seconds',
    help: 'Seconds that calls waited for limits.',
    kind: 'counter',
    read: waitSeconds,
  },
  {
    name: 'sluice_limits_store_loss',
    help: '1 while the store of limits does not answer.',
    aggregator: 'max',
    read: () => Number(ledger.rounds.isLost(now())),
  },
  {
    name: 'sluice_limits_clock_skew_seconds',
    help: "Seconds by which this machine's clock and that of the store of limits differ.",
    aggregator: 'max',
    read: () => Math.abs(clockSkew()) / 1000,
  },
  {
    name: 'sluice_limits_journal_loss',
    help: '1 while the journal of limits cannot be written, so that what this process leases is lost with it.',
    aggregator: 'max',
    read: () => Number(isJournalLost()),
  },
  {
    name: 'sluice_limits_recovered_leases',
    help: 'Leases of dead processes that this one gave back.',
    kind: 'counter',
    read: recovered,
  },
];

const counted = ({ slots }: Ledger, is: (slot: Slot) => boolean): number =>
  [...slots.all()].filter(is).length;
