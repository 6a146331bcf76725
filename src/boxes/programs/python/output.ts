import { send } from '../serve.ts';

/** Sends on what a cell writes to its standard output and error, up to `mostBytes`. */
export function createOutput(mostBytes: number) {
  let left = mostBytes;
  return {
    isatty: false,
    write(buffer: Uint8Array): number {
      const part = buffer.slice(0, left);
      left -= part.length;
      if (part.length > 0) send({ type: 'log' }, part);
      // What is beyond the bound is taken and dropped, so that the cell goes on.
      return buffer.length;
    },
  };
}
