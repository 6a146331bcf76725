import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { errorReply } from './errors.ts';
import type { Document } from './value/types.ts';
import { frameReply, type Message, maximumMessage, parseMessage } from './wire.ts';

/** Runs a message; the signal is aborted when the client has gone. */
export type Dispatch = (message: Message, client: AbortSignal) => Promise<Document | Buffer>;

/** Cuts the byte stream of one client into messages and answers each; answers may overtake one another. */
export class Connection {
  readonly #socket: Socket;
  readonly #dispatch: Dispatch;
  #chunks: Buffer[] = [];
  #size = 0;
  #pending = 0;
  readonly #client = new AbortController();

  constructor(socket: Socket, dispatch: Dispatch) {
    this.#socket = socket;
    this.#dispatch = dispatch;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    // A client that goes away is no error of ours; the close event follows.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#client.abort());
    setMaxListeners(0, this.#client.signal);
  }

  get idle(): boolean {
    return this.#pending === 0;
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    for (;;) {
      if (this.#size < 4) return;
      const first = this.#head(4);
      const length = first.readInt32LE(0);
      if (length < 21 || length > maximumMessage) {
        this.#socket.destroy();
        return;
      }
      if (this.#size < length) return;
      const bytes = this.#head(length);
      const message = bytes.subarray(0, length);
      const rest = bytes.subarray(length);
      this.#chunks = rest.length > 0 ? [rest] : [];
      this.#size = rest.length;
      this.#handle(message);
    }
  }

  /** The waiting bytes as one buffer, joined only when the first chunk does not reach far enough. */
  #head(length: number): Buffer {
    const [first] = this.#chunks;
    if (first && first.length >= length) return first;
    const joined = Buffer.concat(this.#chunks, this.#size);
    this.#chunks = [joined];
    return joined;
  }

  #handle(bytes: Buffer): void {
    let message: Message;
    try {
      message = parseMessage(bytes);
    } catch {
      // After bytes that are no message the stream cannot be trusted any more, and a server hangs up.
      this.#socket.destroy();
      return;
    }
    void this.#answer(message);
  }

  async #answer(message: Message): Promise<void> {
    this.#pending += 1;
    const parts = await this.#dispatch(message, this.#client.signal)
      .then((reply) => frameReply(message, reply))
      .catch((error: unknown) => frameReply(message, errorReply(error)));
    this.#pending -= 1;
    if (message.silent || this.#socket.destroyed) return;
    this.#socket.cork();
    for (const part of parts) this.#socket.write(part);
    this.#socket.uncork();
  }
}
