import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { encodeError } from './bson/encode.ts';
import { CommandError } from './errors.ts';
import type { Document } from './value/types.ts';
import { frameReply, type Message, maximumMessage, parseMessage } from './wire.ts';

/** Runs a message; the signal is aborted when the client has gone. */
export type Dispatch = (message: Message, client: AbortSignal) => Promise<Document | Buffer>;

/** Bytes that may wait for a client to read them before it is heard no further. */
const mostUnread = 16 * 1024 * 1024;

/** Cuts the byte stream of one client into messages and answers one after the other, as a MongoDB server does. */
export class ClientConnection {
  readonly #socket: Socket;
  readonly #dispatch: Dispatch;
  #chunks: Buffer[] = [];
  #size = 0;
  #serving = false;
  readonly #client = new AbortController();

  constructor(socket: Socket, dispatch: Dispatch) {
    this.#socket = socket;
    this.#dispatch = dispatch;
    setMaxListeners(0, this.#client.signal);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    // A client that goes away is no error of ours; the close event follows.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#client.abort());
  }

  get idle(): boolean {
    return !this.#serving;
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size > maximumMessage) this.#socket.pause();
    if (!this.#serving) void this.#serve();
  }

  async #serve(): Promise<void> {
    this.#serving = true;
    for (let bytes = this.#next(); bytes && !this.#socket.destroyed; bytes = this.#next()) {
      await this.#answer(bytes);
    }
    this.#serving = false;
  }

  /** The bytes of the next complete message; null while there is none. */
  #next(): Buffer | null {
    if (this.#socket.isPaused() && this.#size <= maximumMessage) this.#socket.resume();
    if (this.#size < 4) return null;
    const length = this.#head(4).readInt32LE(0);
    if (length < 21 || length > maximumMessage) {
      this.#socket.destroy();
      return null;
    }
    if (this.#size < length) return null;
    const bytes = this.#head(length);
    const rest = bytes.subarray(length);
    const others = this.#chunks.slice(1);
    this.#chunks = rest.length > 0 ? [rest, ...others] : others;
    this.#size -= length;
    return bytes.subarray(0, length);
  }

  /** The waiting bytes from the first on, joined only when the first chunk does not reach far enough. */
  #head(length: number): Buffer {
    const [first] = this.#chunks;
    if (first && first.length >= length) return first;
    const joined = Buffer.concat(this.#chunks, this.#size);
    this.#chunks = [joined];
    return joined;
  }

  async #answer(bytes: Buffer): Promise<void> {
    let message: Message;
    try {
      message = parseMessage(bytes);
    } catch (error) {
      const request = { requestId: bytes.readInt32LE(4), legacy: false };
      if (error instanceof CommandError) await this.#send(frameReply(request, encodeError(error)));
      // After bytes that are no message the stream cannot be trusted any more, and a server hangs up.
      else this.#socket.destroy();
      return;
    }
    const parts = await this.#dispatch(message, this.#client.signal)
      .then((reply) => frameReply(message, reply))
      .catch((error: unknown) => frameReply(message, encodeError(error)));
    if (!message.silent) await this.#send(parts);
  }

  /** A client that asks without reading the answers must wait, or its answers would fill the memory. */
  async #send(parts: Buffer[]): Promise<void> {
    const socket = this.#socket;
    if (socket.destroyed) return;
    socket.cork();
    for (const part of parts) socket.write(part);
    socket.uncork();
    if (socket.writableLength < mostUnread) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const event of ['drain', 'close']) socket.on(event, resolve);
    await promise;
    for (const event of ['drain', 'close']) socket.off(event, resolve);
  }
}
