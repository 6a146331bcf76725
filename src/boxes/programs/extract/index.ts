import type { BoxFrame } from '../frames.ts';
import { send, serve } from '../serve.ts';
import { Unreadable } from './failure.ts';

/** Characters of the longest text: some five million tokens. */
const MOST_CHARACTERS = 20_000_000;

type Reader = (bytes: Uint8Array) => Promise<string> | string;

/** Loaded when a file asks for it: each brings its library. */
const readers: Record<string, () => Promise<Reader>> = {
  pdf: async () => (await import('./pdf.ts')).readPdf,
  docx: async () => (await import('./docx.ts')).readDocx,
  doc: async () => (await import('./doc.ts')).readDoc,
  pptx: async () => (await import('./pptx.ts')).readPptx,
  xlsx: async () => (await import('./xlsx.ts')).readXlsx,
  html: async () => (await import('./html.ts')).readHtml,
  text: async () => (await import('./text.ts')).readText,
};

serve(async ({ head, body }: BoxFrame) => {
  const load = readers[String(head.format)];
  if (!load) throw new Error(`There is no reader for ${head.format}.`);
  const read = await load();
  try {
    send({ type: 'answer' }, new TextEncoder().encode(bounded(await read(body))));
  } catch (error) {
    const { failure, message } = error instanceof Unreadable ? error : new Unreadable(sentenceFor(error));
    send({ type: 'answer', failure, message });
  }
});

function bounded(text: string): string {
  if (text.length > MOST_CHARACTERS) {
    throw new Unreadable(
      `The file has ${text.length} characters of text; at most ${MOST_CHARACTERS} are read.`,
    );
  }
  if (text.trim() === '') throw new Unreadable('The file holds no text; text in pictures is not read.');
  return text;
}

/** Of what a library throws at a file that it cannot read. */
function sentenceFor(error: unknown): string {
  if (error instanceof RangeError) return 'The file is nested too deeply, or too large to be read.';
  const reason = error instanceof Error ? error.message : String(error);
  return `The file is damaged, or is not of the format that its name says: ${reason.replace(/\s+/g, ' ').slice(0, 200)}`;
}
