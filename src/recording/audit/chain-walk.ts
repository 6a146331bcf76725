import { type ChainHead, entryHash, type Sign, type StoredAuditEntry } from './chain.ts';

/** Where a chain is not as it was written. */
export type AuditBreak = {
  /** 0 for entries without a number. */
  sequence: number;
  /**
   * `altered`: the entry is not what was hashed. `missing`: nothing has this number. `inserted`: the service put no entry
   * here. `reordered`: the entry was written under another number. `head`: the chain does not reach the noted head, or
   * has another entry there. `note`: the same of what was noted outside the database.
   */
  what: 'altered' | 'missing' | 'inserted' | 'reordered' | 'head' | 'note';
  detail: string;
};

export type LinkedEntry = StoredAuditEntry & ChainHead;

type Mark = ChainHead & { what: 'head' | 'note'; seen: boolean };

const MAX_BREAKS = 1000;
/** Entries and free places among which a changed order is looked for: each entry is tried at each place. */
const MAX_SUSPECTS = 100;

/** Looks at the entries of one chain in the order of their numbers. */
export class ChainWalk {
  readonly #sign: Sign;
  readonly #marks: Mark[];
  readonly #noted: number;
  readonly #suspects: LinkedEntry[] = [];
  readonly #freePlaces: number[] = [];
  #breaks: AuditBreak[] = [];
  #breakCount = 0;
  #entries = 0;
  /** The entry with the greatest number so far, and whether it is what was hashed. */
  #newest: (ChainHead & { isGenuine: boolean }) | null = null;
  #unchainedBefore: number | null = null;

  /** `start`: the entry after which the walk begins, taken for genuine; null for the whole chain. */
  constructor(
    sign: Sign,
    head: ChainHead | null,
    notes: readonly ChainHead[],
    start: ChainHead | null = null,
  ) {
    this.#sign = sign;
    this.#newest = start && { ...start, isGenuine: true };
    this.#noted = head?.sequence ?? 0;
    this.#marks = [
      ...(head ? [{ ...head, what: 'head' as const, seen: false }] : []),
      ...notes.map((note) => ({ ...note, what: 'note' as const, seen: false })),
    ];
  }

  visit(entry: LinkedEntry): void {
    this.#entries++;
    const { sequence, hash } = entry;
    const expected = (this.#newest?.sequence ?? 0) + 1;
    if (sequence < expected) {
      this.#report(sequence, 'inserted', 'there is another entry with this number');
      return;
    }
    if (sequence > expected) this.#reportMissing(expected, sequence - 1);
    const isGenuine = entryHash(this.#sign, entry) === hash;
    if (!isGenuine) this.#suspect(entry);
    else if (sequence === expected) this.#checkLink(entry);
    if (isGenuine && sequence === 1) this.#unchainedBefore = entry.unchainedBefore ?? 0;
    this.#checkMarks(entry);
    this.#newest = { sequence, hash, isGenuine };
  }

  /** `unchained`: entries without a number that are there now. */
  end(unchained: number) {
    const last = this.#newest?.sequence ?? 0;
    for (const { what, sequence, seen } of this.#marks) {
      if (seen || sequence <= last) continue;
      this.#report(last + 1, what, `the ${what} names entry ${sequence}, the chain ends with ${last}`);
    }
    this.#checkUnchained(unchained);
    this.#findReordered();
    return {
      entries: this.#entries,
      newest: this.#newest && { sequence: last, hash: this.#newest.hash },
      breaks: this.#breaks.toSorted((left, right) => left.sequence - right.sequence),
      breakCount: this.#breakCount,
    };
  }

  #report(sequence: number, what: AuditBreak['what'], detail: string): void {
    this.#breakCount++;
    if (this.#breaks.length < MAX_BREAKS) this.#breaks.push({ sequence, what, detail });
  }

  #reportMissing(from: number, to: number): void {
    this.#report(
      from,
      'missing',
      from === to ? 'the entry is gone' : `the entries ${from} to ${to} are gone`,
    );
    for (let place = from; place <= to && this.#freePlaces.length < MAX_SUSPECTS; place++)
      this.#freePlaces.push(place);
  }

  #suspect(entry: LinkedEntry): void {
    if (entry.sequence > this.#noted)
      this.#report(entry.sequence, 'inserted', 'the entry was not written by the service');
    else this.#report(entry.sequence, 'altered', 'the entry is not the one that was hashed');
    if (this.#suspects.length < MAX_SUSPECTS) this.#suspects.push(entry);
  }

  /** Of two genuine neighbours the second must name the first; after an altered one there is nothing to compare. */
  #checkLink({ sequence, previousHash }: LinkedEntry): void {
    if (this.#newest && !this.#newest.isGenuine) return;
    if ((previousHash ?? null) === (this.#newest?.hash ?? null)) return;
    this.#report(sequence, 'inserted', 'the entry was written after another one than that before it');
  }

  #checkMarks({ sequence, hash }: LinkedEntry): void {
    for (const mark of this.#marks) {
      if (mark.sequence !== sequence) continue;
      mark.seen = true;
      if (mark.hash !== hash) this.#report(sequence, mark.what, `the ${mark.what} names another entry`);
    }
  }

  #checkUnchained(unchained: number): void {
    const known = this.#unchainedBefore;
    if (known === null || known === unchained) return;
    const what = unchained > known ? 'inserted' : 'missing';
    this.#report(0, what, `${unchained} entries have no number, ${known} had none when the chain began`);
  }

  /** An entry that is genuine under another number was moved there. */
  #findReordered(): void {
    const places = [...this.#suspects.map(({ sequence }) => sequence), ...this.#freePlaces];
    for (const entry of this.#suspects) {
      const origin = places.find((sequence) => entryHash(this.#sign, { ...entry, sequence }) === entry.hash);
      if (origin === undefined) continue;
      this.#breaks = this.#breaks.map((found) =>
        found.sequence === entry.sequence && (found.what === 'altered' || found.what === 'inserted')
          ? { ...found, what: 'reordered', detail: `the entry was written as number ${origin}` }
          : found,
      );
    }
  }
}
