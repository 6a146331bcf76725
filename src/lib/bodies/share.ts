import { type ErrorName, GatewayError } from '../../errors/index.ts';

/** Bytes up to which a body counts as small. */
const SMALL_BYTES = 16 * 1024;
/** The part of each share that large bodies leave to small ones, so that a few large ones do not shut out everybody else. */
const LEFT_TO_SMALL = 1 / 8;

/** Members of a group that are remembered although they hold nothing: to forget each at once would cost every body. */
const MAX_IDLE = 100;

/** The least share in which one body of `bytes` has room. */
export const shareFor = (bytes: number): number => Math.ceil(bytes / (1 - LEFT_TO_SMALL));

/** Bytes that somebody may hold, within the share of the group that they belong to. */
export class BodyShare {
  bytes = 0;
  readonly limit: number;
  readonly refusal: ErrorName;
  readonly parent: BodyShare | null;
  readonly #name: string;
  #parts: Map<string, BodyShare> | null = null;
  #holds = 0;

  constructor(limit: number, refusal: ErrorName, parent: BodyShare | null = null, name = '') {
    this.limit = limit;
    this.refusal = refusal;
    this.parent = parent;
    this.#name = name;
  }

  /** The share of a member of this group; where there are many, it is forgotten once nobody holds anything in it. */
  part(name: string, limit: number, refusal: ErrorName): BodyShare {
    this.#parts ??= new Map();
    const known = this.#parts.get(name);
    if (known) return known;
    const share = new BodyShare(limit, refusal, this, name);
    this.#parts.set(name, share);
    return share;
  }

  /** Members that hold something. */
  holders(): number {
    let count = 0;
    for (const part of this.#parts?.values() ?? []) if (part.#holds > 0) count++;
    return count;
  }

  /** Members that are remembered. */
  get size(): number {
    return this.#parts?.size ?? 0;
  }

  enter(): void {
    this.#holds++;
    this.parent?.enter();
  }

  leave(): void {
    this.#holds--;
    if (this.#holds === 0) this.parent?.forget(this.#name);
    this.parent?.leave();
  }

  forget(name: string): void {
    if (this.size > MAX_IDLE) this.#parts?.delete(name);
  }

  hasRoom(more: number, isSmall: boolean): boolean {
    const limit = isSmall ? this.limit : this.limit * (1 - LEFT_TO_SMALL);
    return this.bytes + more <= limit;
  }
}

/** What one body takes of a share. */
export class Hold {
  #bytes = 0;
  #share: BodyShare | null;

  constructor(share: BodyShare) {
    this.#share = share;
    share.enter();
  }

  /** How many bytes the body takes now. Throws, and changes nothing, where a share has no room for them. */
  set(bytes: number): void {
    if (this.#share === null) return;
    const more = bytes - this.#bytes;
    if (more > 0) {
      const isSmall = bytes <= SMALL_BYTES;
      for (let share: BodyShare | null = this.#share; share; share = share.parent)
        if (!share.hasRoom(more, isSmall))
          throw new GatewayError(share.refusal, { retryAfter: RETRY_SECONDS });
    }
    this.#bytes = bytes;
    for (let share: BodyShare | null = this.#share; share; share = share.parent) share.bytes += more;
  }

  /** Gives everything back; nothing is taken any more. */
  release(): void {
    if (this.#share === null) return;
    for (let share: BodyShare | null = this.#share; share; share = share.parent) share.bytes -= this.#bytes;
    this.#share.leave();
    this.#share = null;
  }
}

/** Most bodies are held for seconds. */
const RETRY_SECONDS = 2;
