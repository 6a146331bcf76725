import type { Boxes } from './boxes.ts';
import { BoxLost } from './exchange.ts';
import { formatOf } from './formats.ts';
import { createTurns } from './turns.ts';

/** What was read out of a file: its text, or why there is none. */
export type Extraction = { text: string } | ExtractionFailure;
export type ExtractionFailure = { failure: 'unsupported_file' | 'invalid_file'; message: string };

/** A file to read; `read` gives `bytes` bytes. */
export type ExtractionSource = { filename: string; bytes: number; read(): AsyncIterable<Uint8Array> };

/**
 * Reads the text of a file in a box that is made for this file alone. Rejects where the file itself cannot be read from the
 * storage, and with the signal's reason.
 */
export type ExtractText = (file: ExtractionSource, signal: AbortSignal) => Promise<Extraction>;

const MEGABYTE = 1024 * 1024;
/** A box that holds a larger file has no room to read it. */
const MOST_FILE_BYTES = 256 * MEGABYTE;
const MEMORY_BYTES = 512 * MEGABYTE;
/** Milliseconds that reading a file may take. */
const TIME_MS = 60_000;
/** Boxes that read files at a time: reading keeps a processor busy. */
const PLACES = 2;

const invalid = (message: string): ExtractionFailure => ({ failure: 'invalid_file', message });
const unsupported = (message: string): ExtractionFailure => ({ failure: 'unsupported_file', message });

export function createExtractText(boxes: Boxes): ExtractText {
  const turns = createTurns(PLACES);
  return async (file, signal) => {
    const format = formatOf(file.filename);
    if (!format)
      return unsupported(`Text cannot be read from files such as ${JSON.stringify(file.filename)}.`);
    if (file.bytes === 0) return invalid('The file is empty.');
    if (file.bytes > MOST_FILE_BYTES) {
      return invalid(`The file has ${file.bytes} bytes; text is read from at most ${MOST_FILE_BYTES}.`);
    }
    if (boxes.unavailable !== null) return unsupported(boxes.unavailable);
    const leave = await turns.enter('', signal);
    try {
      return await read(boxes, { format, file }, signal);
    } finally {
      leave();
    }
  };
}

async function read(
  boxes: Boxes,
  { format, file }: { format: string; file: ExtractionSource },
  signal: AbortSignal,
): Promise<Extraction> {
  const box = await boxes.open({ program: 'extract', readable: [], memoryBytes: MEMORY_BYTES }, signal);
  try {
    const { head, body } = await box.ask({
      head: { type: 'read', format },
      body: file,
      timeMs: TIME_MS,
      signal,
    });
    if (head.failure !== 'unsupported_file' && head.failure !== 'invalid_file') {
      return { text: new TextDecoder().decode(body) };
    }
    return { failure: head.failure, message: String(head.message) };
  } catch (error) {
    if (!(error instanceof BoxLost)) throw error;
    return invalid(sentences[error.end]);
  } finally {
    await box.kill('stopped');
  }
}

const sentences = {
  memory: 'Reading the file takes more than 512 MB of memory.',
  time: 'Reading the file takes more than 60 seconds.',
  processor: 'Reading the file did not end.',
  processes: 'The file made its reader begin other processes.',
  crash: 'The file made its reader fail.',
  stopped: 'Reading the file was stopped.',
};
