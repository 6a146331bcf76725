import { type BoxFrame, createFrameReader, frameStart } from './frames.ts';
import { host } from './host.ts';

/**
 * The first thread of every box. The program itself runs in a worker, so that this thread hears the end of its standard input
 * at once, however busy the program is: a box ends with the process that owns it.
 */
const { Deno, Worker } = host;

const MOST_BODY_BYTES = 2 ** 32 - 1;

const worker = new Worker(new URL(`./${Deno.args[0]}.mjs`, import.meta.url), { type: 'module' });
worker.onmessage = ({ data }) => {
  const { head, body } = data as BoxFrame;
  write(frameStart(head, body.length));
  write(body);
};
worker.onerror = (event) => {
  event.preventDefault();
  Deno.exit(1);
};

function write(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += Deno.stdout.writeSync(bytes.subarray(at));
}

const read = createFrameReader(MOST_BODY_BYTES, (frame) => worker.postMessage(frame, [frame.body.buffer]));
const buffer = new Uint8Array(256 * 1024);
for (let count = await Deno.stdin.read(buffer); count !== null; count = await Deno.stdin.read(buffer)) {
  read(buffer.subarray(0, count));
}
Deno.exit(0);
