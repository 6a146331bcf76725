import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { GatewayError } from '../../src/errors/index.ts';
import { BodyAborted } from '../../src/lib/bodies/index.ts';
import { invalid, missing, unknownParameter } from '../compile/value.ts';

/** Bytes of one field. */
const MAX_FIELD = 4096;
/** What a form may have beside its file. */
const MAX_FIELDS = 20;
/** Bytes that a form takes beside those of its file, at most. */
export const FORM_BYTES = 1024 * 1024;

/** A form with its file stored. */
export type UploadedForm<T> = { fields: ReadonlyMap<string, string>; filename: string; taken: T };

type Taking<T, R> = {
  /** The name of the file's field. */
  field: string;
  /** Stores the file while it arrives. */
  take(content: AsyncIterable<Buffer>): Promise<T>;
  /** Makes something of the form once it is whole. */
  use(form: UploadedForm<T>): Promise<R>;
  /** Gives up what was stored of a form that was refused. */
  giveUp(taken: T): Promise<void>;
};

type ArrivingFile<T> = { stream: Readable; filename: string; taking: Promise<T> };

/** Reads a multipart form with one file, whose fields may stand before it and behind it. Holds no more than a few pieces. */
export async function readForm<T, R>(
  body: AsyncIterable<Buffer>,
  contentType: string | undefined,
  { field, take, use, giveUp }: Taking<T, R>,
): Promise<R> {
  const parser = parserOf(contentType);
  const fields = new Map<string, string>();
  const arrived: { file?: ArrivingFile<T>; refusal?: unknown } = {};
  const refuse = (error: unknown) => {
    arrived.refusal ??= error;
    parser.destroy(error as Error);
  };
  // What comes after the first error, when nobody waits for the parser any more.
  parser.on('error', () => undefined);
  parser.on('field', (name, value, _isNameCut, isCut) => {
    if (fields.has(name)) refuse(invalid(name, 'is given more than once.'));
    else if (isCut) refuse(invalid(name, `has more than ${MAX_FIELD} bytes.`));
    else fields.set(name, value);
  });
  parser.on('file', (name, stream, filename) => {
    // The parser only tells the stream; whoever begins to read it later has to learn of it as well.
    stream.on('error', (error) => stream.destroy(error));
    if (name !== field) {
      stream.resume();
      refuse(unknownParameter(name));
      return;
    }
    const taking = take(stream as AsyncIterable<Buffer>);
    taking.catch(refuse);
    arrived.file = { stream, filename, taking };
  });
  for (const event of ['partsLimit', 'fieldsLimit', 'filesLimit'] as const)
    parser.on(event, () =>
      refuse(invalid(field, `comes in a form with one file and at most ${MAX_FIELDS} fields.`)),
    );
  try {
    await pipeline(body, parser);
    const { file } = arrived;
    if (!file) throw fields.has(field) ? invalid(field, 'must be a file, with a filename.') : missing(field);
    return await use({ fields, filename: file.filename, taken: await file.taking });
  } catch (error) {
    arrived.file?.stream.destroy(error as Error);
    const taken = await arrived.file?.taking.catch(() => undefined);
    if (taken !== undefined) await giveUp(taken);
    throw publicError(arrived.refusal ?? error);
  }
}

function parserOf(contentType = ''): BusboyInstance {
  const limits = { fieldSize: MAX_FIELD, fields: MAX_FIELDS, files: 1, parts: MAX_FIELDS + 1 };
  try {
    if (!/^multipart\/form-data\b/i.test(contentType)) throw new Error('This is no form with files.');
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { ...limits, headerPairs: 20, headerSize: 16 * 1024 },
    });
  } catch (cause) {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', {
      message: 'The body must be multipart/form-data with a boundary.',
      cause,
    });
  }
}

/** What the parser itself throws is about the form. */
const publicError = (error: unknown): unknown =>
  error instanceof GatewayError || error instanceof BodyAborted || !isOfParser(error)
    ? error
    : new GatewayError('MALFORMED_BODY', { message: 'The form is not valid.', cause: error });

const isOfParser = (error: unknown): boolean =>
  error instanceof Error && /multipart|part terminated|malformed|boundary/i.test(error.message);
