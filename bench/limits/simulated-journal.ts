import type { JournaledLease } from '../../src/limits/journal/records.ts';
import type { Slot } from '../../src/limits/ledger/slot.ts';

/** What a process has written down of its leases when it dies: everything but settlements since its last call or round. */
export class SimulatedJournal {
  readonly written = new Map<string, JournaledLease>();
  readonly #unwritten = new Set<Slot>();

  readonly note = (slots: readonly Slot[], isTaken: boolean): void => {
    for (const slot of slots) this.#unwritten.add(slot);
    if (isTaken) this.flush([]);
  };

  flush(more: readonly Slot[]): void {
    for (const { id, lease } of [...this.#unwritten, ...more])
      this.written.set(lease.key, { id, key: lease.key, used: lease.used, held: lease.held });
    this.#unwritten.clear();
  }
}
