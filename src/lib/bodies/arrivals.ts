import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { GatewayError } from '../../errors/index.ts';

/** How long a body may take to arrive, and how long what is left of it is thrown away after the answer. */
export type ArrivalLimits = {
  /** Within this time a body may be as slow as it likes. */
  graceMs: number;
  /** What it has to keep up with afterwards, counted from then on. */
  bytesPerSecond: number;
  /** After an answer to a request whose body is still arriving. */
  lingerMs: number;
  /** The same while nothing arrives. */
  lingerSilentMs: number;
  lingerBytes: number;
  /** How often connections are looked at: a timer of each request would cost more than all else that is done for a small body. */
  checkEveryMs: number;
};

/** A mobile phone with 200 kbit/s brings 16 MB. */
export const ARRIVAL_LIMITS: ArrivalLimits = {
  graceMs: 30_000,
  bytesPerSecond: 16 * 1024,
  lingerMs: 10_000,
  lingerSilentMs: 2000,
  lingerBytes: 256 * 1024 * 1024,
  checkEveryMs: 1000,
};

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Of one connection: the request whose body may be arriving. */
export class Arrival {
  /** Of whoever reads the body now: ends the reading, which answers with the error. */
  giveUp: ((error: Error) => void) | null = null;
  readonly #socket: Socket;
  readonly #limits: ArrivalLimits;
  #request: IncomingMessage | null = null;
  #response: ServerResponse | null = null;
  /** The request at the last look: what follows counts for it. */
  #seen: IncomingMessage | null = null;
  /** Of the socket at the last look. */
  #seenBytes = 0;
  #arrivedBytes = 0;
  #waitedMs = 0;
  #lingeredMs = 0;
  #silentMs = 0;
  #isEnding = false;

  constructor(socket: Socket, limits: ArrivalLimits) {
    this.#socket = socket;
    this.#limits = limits;
    // Node closes a connection by it once its last answer is written. With bytes of the caller unread, the kernel would throw
    // away what the caller has not read of the answer.
    socket.destroySoon = () => this.#end();
  }

  /** False for what comes after a body that was refused: the connection was said to end. */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#isEnding) {
      this.#socket.destroy();
      return false;
    }
    this.#request = request;
    this.#response = response;
    this.giveUp = null;
    return true;
  }

  /** The body is here: its request need not stay in memory until the next one comes. */
  complete(request: IncomingMessage): void {
    // The next one may have begun, where a caller sends several without waiting for answers.
    if (request !== this.#request) return;
    this.giveUp = null;
    this.#request = null;
    this.#response = null;
    this.#seen = null;
  }

  #end(): void {
    if (this.#request === null || this.#request.complete || this.#socket.destroyed) {
      Socket.prototype.destroySoon.call(this.#socket);
      return;
    }
    this.#isEnding = true;
    this.#socket.end();
    this.#request.resume();
  }

  check(): void {
    const request = this.#request;
    if (request === null) return;
    if (request.complete) {
      this.complete(request);
      if (this.#isEnding) this.#socket.destroy();
      return;
    }
    const bytes = this.#socket.bytesRead;
    if (request !== this.#seen) this.#countFrom(request, bytes);
    const came = bytes - this.#seenBytes;
    this.#seenBytes = bytes;
    this.#arrivedBytes += came;
    if (this.#isEnding || this.#response?.writableFinished) this.#linger(request, came);
    else this.#wait(request);
  }

  #countFrom(request: IncomingMessage, bytes: number): void {
    this.#seen = request;
    this.#seenBytes = bytes;
    this.#arrivedBytes = 0;
    this.#waitedMs = 0;
    this.#lingeredMs = 0;
    this.#silentMs = 0;
  }

  #linger(request: IncomingMessage, came: number): void {
    const { lingerMs, lingerSilentMs, lingerBytes, checkEveryMs } = this.#limits;
    this.#lingeredMs += checkEveryMs;
    this.#silentMs = came > 0 ? 0 : this.#silentMs + checkEveryMs;
    const isOver =
      this.#lingeredMs >= lingerMs || this.#silentMs >= lingerSilentMs || this.#arrivedBytes > lingerBytes;
    if (isOver) this.#socket.destroy();
    else request.resume();
  }

  #wait(request: IncomingMessage): void {
    const { graceMs, bytesPerSecond, checkEveryMs } = this.#limits;
    // It is this side that does not read, such as for a provider that takes an upload slowly.
    if (request.readableLength > 0) return;
    this.#waitedMs += checkEveryMs;
    const lateMs = this.#waitedMs - graceMs;
    if (lateMs <= 0 || this.#arrivedBytes >= (lateMs / 1000) * bytesPerSecond) return;
    const { giveUp } = this;
    this.giveUp = null;
    if (giveUp) giveUp(bodyTooSlow());
    else this.#socket.destroy();
  }
}

export const bodyTooSlow = (): GatewayError =>
  new GatewayError('REQUEST_TIMEOUT', { message: 'The body of the request did not arrive in time.' });

const arrivals = new WeakMap<Socket, Arrival>();

/** Undefined where no server watches the connection. */
export const arrivalOf = ({ socket }: IncomingMessage): Arrival | undefined => arrivals.get(socket);

/** A listener that gets no requests on connections that are said to end. */
export const watched =
  (listener: Listener): Listener =>
  (request, response) => {
    if (arrivalOf(request)?.begin(request, response) ?? true) listener(request, response);
  };

/** Ends connections of a server whose bodies arrive too slowly, or whose requests were answered before their body was complete. */
export function watchArrivals(server: Server, limits: ArrivalLimits = ARRIVAL_LIMITS): void {
  const open = new Set<Arrival>();
  server.on('connection', (socket: Socket) => {
    const arrival = new Arrival(socket, limits);
    arrivals.set(socket, arrival);
    open.add(arrival);
    socket.once('close', () => open.delete(arrival));
  });
  const checking = setInterval(() => {
    for (const arrival of open) arrival.check();
  }, limits.checkEveryMs).unref();
  server.once('close', () => clearInterval(checking));
}
