import { expect, test } from '@jest/globals';
import { MemoryStore } from '../../../bench/limits/memory-store.ts';
import type { Reservation, Shortage } from '../../../src/limits/engine.ts';
import { StoreClock } from '../../../src/limits/ledger/clock.ts';
import { Ledger } from '../../../src/limits/ledger/ledger.ts';
import { limitOf } from '../engine/support.ts';

/** One process whose rounds are run every five milliseconds of a clock that the test moves. */
function processOn(store: MemoryStore) {
  let now = 0;
  let slept = 0;
  const ledger = new Ledger({
    processId: 'one',
    clock: new StoreClock(() => slept + now),
    leaseMs: 1000,
    capacity: 10,
  });
  const send = () => {
    now += 5;
    ledger.admit(now);
    const round = ledger.rounds.prepare(ledger.moment(now));
    if (!round) return;
    return () => {
      for (const update of round.updates) store.apply(update, slept + now);
      const ids = round.slots.map(({ id }) => id);
      ledger.rounds.completed(round, store.read(ids), now);
    };
  };
  return {
    ledger,
    now: () => now,
    /** The machine is suspended: the time of day goes on, and the monotonic clock stands still. */
    sleep: (ms: number) => {
      slept += ms;
    },
    /** Sends a round, and answers what brings it to the store and back; nothing where none is due. */
    send,
    turn: () => send()?.(),
  };
}

test('what an edit has revoked goes back while refusals keep the counter looked at', () => {
  const store = new MemoryStore();
  const one = processOn(store);
  const limit = limitOf({ amount: 10_000, waitMs: 0 });
  const ask = (amount: number) => {
    const asks = [{ counter: one.ledger.counterOf(limit, '', {}), amount }];
    const taken = one.ledger.take(asks, one.now());
    if (taken) taken.settle([amount]);
    else one.ledger.wait(asks, one.now(), (outcome) => 'settle' in outcome && outcome.settle([amount]));
  };
  for (let call = 0; call < 20; call++) {
    ask(10);
    one.turn();
  }
  const [counter] = [...store.counters.values()];
  if (!counter) throw new Error('There is no counter.');
  const [lease] = Object.values(counter.L);
  if (!lease || lease.g <= 200) throw new Error('Nothing was leased ahead, so nothing can be revoked.');
  store.apply({ kind: 'edit', id: counter._id, ver: 1, cap: 10_000, newVer: 2, newCap: 300 }, one.now());
  for (let turn = 0; turn < 600; turn++) {
    one.ledger.look([{ counter: one.ledger.counterOf(limit, '', {}), amount: 20_000 }], one.now());
    one.turn();
  }
  // A process of which nothing presses may keep a 64th of the room.
  const [{ room } = { room: 0 }] = store.read([counter._id]);
  expect(room).toBeGreaterThanOrEqual(100 - 100 / 64);
});

test('a call that comes while slack is on its way back to the store is admitted', () => {
  const store = new MemoryStore();
  const one = processOn(store);
  const counter = one.ledger.counterOf(limitOf({ amount: 2000, waitMs: 0 }), '', {});
  const outcomes: (Reservation | Shortage)[] = [];
  const ask = () => {
    const asks = [{ counter, amount: 1600 }];
    const taken = one.ledger.take(asks, one.now());
    if (taken) outcomes.push(taken);
    else one.ledger.wait(asks, one.now(), (outcome) => outcomes.push(outcome));
  };
  ask();
  while (outcomes.length === 0) one.turn();
  const [first] = outcomes;
  if (!first || !('settle' in first)) throw new Error('The first call was refused.');
  first.settle([8]);
  let arrive = one.send();
  while (!arrive) arrive = one.send();
  expect(counter.slot?.lease.granted).toBe(8);
  ask();
  expect(outcomes).toHaveLength(1);
  arrive();
  for (let turn = 0; turn < 10 && outcomes.length < 2; turn++) one.turn();
  expect(outcomes[1]).toHaveProperty('settle');
});

test('one refusal of the store after a quiet time is no loss; silence is one', () => {
  const heard = () => {
    const one = processOn(new MemoryStore());
    const asks = [{ counter: one.ledger.counterOf(limitOf({ amount: 1000 }), '', {}), amount: 900 }];
    let isServed = false;
    one.ledger.wait(asks, one.now(), () => (isServed = true));
    while (!isServed) one.turn();
    return one.ledger.rounds;
  };
  const later = 60_000;
  const [refusing, silent] = [heard(), heard()];
  refusing.failed(later, false);
  expect(refusing.isLost(later + 900)).toBe(false);
  expect(refusing.isLost(later + 2000)).toBe(true);
  silent.failed(later, true);
  expect(silent.isLost(later)).toBe(true);
});

test('a rate that came back while the machine was suspended is there for those who go on asking', () => {
  const store = new MemoryStore();
  const one = processOn(store);
  const limit = limitOf({ amount: 1, waitMs: 0, window: { kind: 'bucket', seconds: 3600 } });
  const counter = one.ledger.counterOf(limit, '', {});
  let admitted = 0;
  const answered = (outcome: Reservation | Shortage) => {
    if (!('settle' in outcome)) return;
    admitted += 1;
    outcome.settle([1]);
  };
  const askFor = (ms: number) => {
    for (const end = one.now() + ms; one.now() < end; one.turn()) {
      const asks = [{ counter, amount: 1 }];
      const taken = one.ledger.take(asks, one.now());
      if (taken) answered(taken);
      else one.ledger.wait(asks, one.now(), answered);
    }
  };
  askFor(3000);
  expect(admitted).toBe(1);
  one.sleep(3_600_000);
  askFor(1000);
  expect(admitted).toBe(2);
});
