/**
 * What a box and the process that owns it tell each other over the box's standard input and output: a frame is the length of
 * its head and that of its body in four bytes each, the head in JSON, and the body's bytes.
 */
export type BoxFrame = { head: FrameHead; body: Uint8Array };

export type FrameHead = { type: string } & Record<string, unknown>;

const LENGTHS = 8;
const MOST_HEAD_BYTES = 1024 * 1024;

/** The beginning of a frame, which `bodyBytes` bytes follow. */
export function frameStart(head: FrameHead, bodyBytes: number): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(head));
  const start = new Uint8Array(LENGTHS + text.length);
  const view = new DataView(start.buffer);
  view.setUint32(0, text.length);
  view.setUint32(4, bodyBytes);
  start.set(text, LENGTHS);
  return start;
}

/** Bytes that are no frames, or frames that are larger than agreed. */
export class FrameError extends Error {}

/**
 * Gives the frames of a stream to `onFrame` as they become whole.
 *
 * @returns what takes the next bytes of the stream; it throws a FrameError, after which the stream is of no use.
 */
export function createFrameReader(mostBodyBytes: number, onFrame: (frame: BoxFrame) => void) {
  let stage: 'lengths' | 'head' | 'body' = 'lengths';
  let target = new Uint8Array(LENGTHS);
  let filled = 0;
  let bodyBytes = 0;
  let head: FrameHead = { type: '' };

  function expect(next: typeof stage, bytes: number): void {
    stage = next;
    target = new Uint8Array(bytes);
    filled = 0;
  }

  function advance(): void {
    if (stage === 'lengths') {
      const view = new DataView(target.buffer);
      bodyBytes = view.getUint32(4);
      if (view.getUint32(0) > MOST_HEAD_BYTES || bodyBytes > mostBodyBytes) {
        throw new FrameError('A frame is larger than agreed.');
      }
      expect('head', view.getUint32(0));
    } else if (stage === 'head') {
      head = headOf(target);
      expect('body', bodyBytes);
    } else {
      const body = target;
      expect('lengths', LENGTHS);
      onFrame({ head, body });
    }
  }

  return (chunk: Uint8Array): void => {
    for (let at = 0; ; ) {
      const taken = chunk.subarray(at, at + target.length - filled);
      target.set(taken, filled);
      filled += taken.length;
      at += taken.length;
      if (filled < target.length) return;
      advance();
    }
  };
}

function headOf(bytes: Uint8Array): FrameHead {
  try {
    const head: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof (head as FrameHead | null)?.type === 'string') return head as FrameHead;
  } catch {
    // What is no JSON is no head either.
  }
  throw new FrameError('A frame has no head.');
}
