import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { Fleet } from '../prove-limits/fleet.ts';
import { startStore } from '../prove-limits/store.ts';
import { Caller } from './caller.ts';
import { type Fault, faultEnv, orderFault } from './fault-orders.ts';
import { faultsOf, settled } from './judge.ts';
import { type ScenarioName, scenarios } from './scenarios.ts';
import { strike } from './struck.ts';

export type FaultKind = Pick<Fault, 'when' | 'kind'>;
/** A run that meets a fault at one of its operations. */
export type Point = FaultKind & { scenario: ScenarioName; at: number };
/** What came of it. */
export type Outcome = Point & {
  /** The operation that met it; null where the run has fewer. */
  operation: string | null;
  freeAfterMs: number;
  faults: string[];
};

export const faultKinds: readonly FaultKind[] = [
  { kind: 'kill', when: 'before' },
  { kind: 'kill', when: 'after' },
  { kind: 'stop', when: 'before' },
  { kind: 'throw', when: 'before' },
  { kind: 'throw', when: 'after' },
];

/** Gateways on a database of their own, the first of which meets faults. */
export class Crashes {
  readonly #fleet: Fleet;
  readonly #store: Awaited<ReturnType<typeof startStore>>;
  readonly #client: MongoClient;
  #caller: Caller | null = null;
  #speakerId = '';
  #count = 0;
  #isStruck = false;

  static async start(directory: string, gateways: number, server?: string): Promise<Crashes> {
    const store = await startStore(join(directory, 'store'), server);
    const fleet = new Fleet(directory, store.uri, faultEnv);
    const crashes = new Crashes(fleet, store, await MongoClient.connect(store.uri));
    try {
      await fleet.resize(gateways);
      const { workspace_api_key: key } = JSON.parse(
        await readFile(join(fleet.first, 'bootstrap.json'), 'utf8'),
      );
      crashes.#caller = new Caller({ any: () => crashes.#door() }, key);
      await crashes.#caller.makeAssistant();
      crashes.#speakerId = await crashes.#caller.makeSpeaker();
      return crashes;
    } catch (error) {
      await crashes.stop();
      throw error;
    }
  }

  private constructor(fleet: Fleet, store: Awaited<ReturnType<typeof startStore>>, client: MongoClient) {
    this.#fleet = fleet;
    this.#store = store;
    this.#client = client;
  }

  /** Everybody asks the first gateway until it has met its fault. */
  #door() {
    return this.#isStruck ? this.#fleet.any() : (this.#fleet.gateways[0]?.running?.pool ?? null);
  }

  async meet({ scenario, at, when, kind }: Point): Promise<Outcome> {
    const [gateway] = this.#fleet.gateways;
    const caller = this.#caller;
    if (!gateway || !caller) throw new Error('The gateways have not started.');
    const db = this.#client.db();
    const fault: Fault = { id: ++this.#count, at, when, kind };
    this.#isStruck = false;
    let isOver = false;
    caller.faults.length = 0;
    caller.runIds.clear();
    await orderFault(gateway.directory, fault);
    const striking = strike(
      { fleet: this.#fleet, gateway, db, fault },
      () => isOver,
      () => {
        this.#isStruck = true;
      },
    );
    try {
      await scenarios[scenario]({ caller, db, speakerId: this.#speakerId });
    } finally {
      isOver = true;
    }
    const struck = await striking;
    const faults = [
      ...caller.faults,
      ...(struck?.faults ?? []),
      ...(await settled(this.#store.uri)),
      ...(await faultsOf(this.#store.uri, caller.runIds)),
    ];
    const { operation = null, freeAfterMs = 0 } = struck ?? {};
    return { scenario, at, when, kind, operation, freeAfterMs, faults };
  }

  /**
   * Meets a fault at each operation of a scenario, from the first one to the last; `each`: at every how many-th alone. A busy machine
   * may lose a request, so that the last operation was met where two runs in a row have not come further.
   */
  async *enumerate(scenario: ScenarioName, faultKind: FaultKind, each = 1): AsyncGenerator<Outcome> {
    let isShort = false;
    for (let at = 1; ; ) {
      const outcome = await this.meet({ scenario, at, ...faultKind });
      if (outcome.operation === null && isShort) return;
      isShort = outcome.operation === null;
      if (isShort) continue;
      yield outcome;
      at += each;
    }
  }

  async stop(): Promise<void> {
    await this.#client.close();
    await this.#fleet.stop();
    await this.#store.stop();
  }
}
