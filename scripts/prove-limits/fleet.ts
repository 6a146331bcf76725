import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { type SluiceProcess, startProcess } from '../../test/support/process.ts';

/** A gateway, in its data directory for as long as the fleet lives; null while it starts again. */
export type Gateway = { directory: string; running: { process: SluiceProcess; pool: Pool } | null };

/** Gateways on one database, each with a data directory of its own. */
export class Fleet {
  readonly gateways: Gateway[] = [];
  /** On the clock of `performance.now()`: when the last gateway has started. */
  startedAt = 0;
  readonly #env: Record<string, string>;
  readonly #directory: string;

  constructor(directory: string, databaseUri: string, env: Record<string, string> = {}) {
    this.#directory = directory;
    this.#env = {
      MONGODB_URI: databaseUri,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      LOG_LEVEL: 'error',
      ...env,
    };
  }

  /** The gateway that the first start has made the tenant with. */
  get first(): string {
    return join(this.#directory, 'gateway-0');
  }

  async resize(count: number): Promise<void> {
    while (this.gateways.length > count) await this.#end(this.gateways.pop() as Gateway, 'SIGTERM');
    while (this.gateways.length < count) {
      const gateway = { directory: join(this.#directory, `gateway-${this.gateways.length}`), running: null };
      this.gateways.push(gateway);
      await this.start(gateway);
    }
  }

  /** Tries again where the database is killed meanwhile. */
  async start(gateway: Gateway): Promise<void> {
    const process = await retried(() => startProcess(gateway.directory, this.#env));
    this.startedAt = performance.now();
    gateway.running = { process, pool: new Pool(process.url, { connections: 500, headersTimeout: 30_000 }) };
  }

  /** One that answers; null while none does. */
  any(): Pool | null {
    const running = this.gateways.flatMap(({ running }) => running ?? []);
    return running[Math.floor(Math.random() * running.length)]?.pool ?? null;
  }

  get isWhole(): boolean {
    return this.gateways.every(({ running }) => running !== null);
  }

  urls(): string[] {
    return this.gateways.flatMap(({ running }) => running?.process.url ?? []);
  }

  /** Reservations of calls that have not ended, in all gateways. */
  async openReservations(): Promise<number> {
    let sum = 0;
    for (const url of this.urls()) {
      const text = await (await fetch(`${url}/metrics`)).text();
      sum += Number(/^sluice_limits_open_reservations(?:\{[^}]*\})? (\d+)$/m.exec(text)?.[1]);
    }
    return sum;
  }

  async kill(gateway: Gateway): Promise<void> {
    await this.#end(gateway, 'SIGKILL');
  }

  async stop(): Promise<void> {
    await Promise.all(this.gateways.map((gateway) => this.#end(gateway, 'SIGTERM')));
  }

  async #end(gateway: Gateway, signal: NodeJS.Signals): Promise<void> {
    const { running } = gateway;
    gateway.running = null;
    if (!running) return;
    const ended = running.process.kill(signal);
    // A process that was stopped ends once it goes on.
    if (signal !== 'SIGKILL') process.kill(running.process.pid, 'SIGCONT');
    await ended;
    await running.pool.destroy();
  }
}

const TRIES = 10;

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES) throw error;
      await wait(500);
    }
  }
}
