import type { Duplex } from 'node:stream';
import { type BoxEnd, type BoxQuestion, Exchange, MOST_BODY_BYTES, type OpenBox } from '../exchange.ts';
import { type BoxFrame, createFrameReader } from '../programs/frames.ts';
import { LOST } from './protocol.ts';

const ends: readonly BoxEnd[] = ['memory', 'time', 'processor', 'processes', 'crash', 'stopped'];
/** Milliseconds that the server has beyond those of a question, to say why it has ended the box. */
const GRACE_MS = 5000;

/** A box of another machine, at the other end of a connection. It ends with the connection. */
export class RemoteBox implements OpenBox {
  readonly pid = 0;
  readonly ended: Promise<BoxEnd>;
  readonly #socket: Duplex;
  readonly #exchange: Exchange;
  #end: BoxEnd | null = null;

  constructor(socket: Duplex) {
    this.#socket = socket;
    this.ended = new Promise((resolve) => {
      socket.once('close', () => {
        this.#end ??= 'crash';
        resolve(this.#end);
      });
    });
    this.#exchange = new Exchange(this, socket);
    const read = createFrameReader(MOST_BODY_BYTES, (frame) => this.#receive(frame));
    socket.on('data', (chunk: Buffer) => {
      try {
        if (this.isOpen) read(chunk);
      } catch {
        this.kill('crash');
      }
    });
    socket.once('end', () => socket.destroy());
  }

  get isOpen(): boolean {
    return this.#end === null;
  }

  ask({ head, timeMs, ...rest }: BoxQuestion): Promise<BoxFrame> {
    return this.#exchange.ask({ ...rest, head: { type: 'ask', head, timeMs }, timeMs: timeMs + GRACE_MS });
  }

  kill(end: BoxEnd): Promise<BoxEnd> {
    this.#end ??= end;
    this.#socket.destroy();
    return this.ended;
  }

  #receive(frame: BoxFrame): void {
    if (frame.head.type === LOST) this.kill(ends.find((known) => known === frame.head.end) ?? 'crash');
    else this.#exchange.receive(frame);
  }
}
