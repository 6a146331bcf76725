/** A message of one side of a session. */
export type SideMessage = { readonly data: Buffer; readonly isBinary: boolean };

/** Where messages go that may go on. */
export type Way = {
  pass(message: SideMessage): void;
  /** Called whenever fewer bytes wait. */
  changed(): void;
  /** Called at most once, when no message can be judged any more. */
  fail(error: unknown): void;
};

/** Where the messages of one side wait, in their order, until the other side may have them. */
export abstract class MessageGate {
  #way: Way | null = null;
  #queue: SideMessage[] = [];
  #unread = 0;
  #working: Promise<void> | null = null;
  #hasFailed = false;

  /** Nothing is to be judged, and nothing waits: messages go on at once. */
  protected abstract readonly isOpen: boolean;
  /** Bytes of messages that were looked at and wait for what follows. */
  protected abstract readonly held: number;
  /** Gives a message on, or something in its place, or nothing. */
  protected abstract check(message: SideMessage): Promise<void>;
  /** The side says nothing any more. */
  protected abstract end(): Promise<void>;

  /** Is called once, before the first message. */
  lead(way: Way): void {
    this.#way = way;
  }

  /** Bytes of messages that nobody has looked at yet. */
  get unread(): number {
    return this.#unread;
  }

  /** Bytes of all messages that wait. */
  get bytes(): number {
    return this.#unread + this.held;
  }

  add(message: SideMessage): void {
    if (this.#hasFailed) return;
    if (this.#working === null && this.isOpen) {
      this.pass(message);
      return;
    }
    this.#queue.push(message);
    this.#unread += message.data.length;
    this.#working ??= this.#run();
  }

  /** Resolves when all that came was judged. */
  async finish(): Promise<void> {
    await this.#working;
    if (this.#hasFailed) return;
    await this.end().catch((error: unknown) => this.#fail(error));
  }

  protected pass(message: SideMessage): void {
    this.#way?.pass(message);
  }

  async #run(): Promise<void> {
    try {
      for (let message = this.#queue.shift(); message; message = this.#queue.shift()) {
        await this.check(message);
        this.#unread -= message.data.length;
        this.#way?.changed();
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#working = null;
    }
  }

  #fail(error: unknown): void {
    this.#hasFailed = true;
    this.#queue = [];
    this.#unread = 0;
    this.#way?.fail(error);
  }
}
