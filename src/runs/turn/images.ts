import { LRUCache } from 'lru-cache';
import type { Files } from '../../files/index.ts';
import type { RunDocument } from '../run.ts';
import type { ChatMessage } from './prompt.ts';

/** Bytes of an image that is sent to a model, and of all images of one request. */
const MAX_IMAGE = 20 * 1024 * 1024;
const MAX_IN_ALL = 32 * 1024 * 1024;
/** Bytes of images, as models are sent them, that are kept for the next turns, and milliseconds for which they are. */
const MAX_KEPT = 64 * 1024 * 1024;
const KEPT_MS = 60_000;

type ImageFile = { type: 'image_file'; image_file: { file_id: string; detail: string } };
type Source = { files: Pick<Files, 'find' | 'open'> };

/** The media types of images that models take, by what their files begin with. */
const beginnings: [type: string, bytes: Buffer, at: number][] = [
  ['image/png', Buffer.from('89504e470d0a1a0a', 'hex'), 0],
  ['image/jpeg', Buffer.from('ffd8ff', 'hex'), 0],
  ['image/gif', Buffer.from('GIF8'), 0],
  ['image/webp', Buffer.from('WEBP'), 8],
];

const typeOf = (bytes: Buffer): string | undefined =>
  beginnings.find(([, magic, at]) => bytes.subarray(at, at + magic.length).equals(magic))?.[0];

const kept = new LRUCache<string, string>({
  maxSize: MAX_KEPT,
  sizeCalculation: (url) => url.length,
  ttl: KEPT_MS,
});

const isImageFile = (part: unknown): part is ImageFile =>
  (part as { type?: unknown } | null)?.type === 'image_file';

/** Messages with the images that they name by their files, the newest where not all of them fit. */
export async function withImages(
  source: Source,
  run: RunDocument,
  messages: readonly ChatMessage[],
): Promise<ChatMessage[]> {
  let left = MAX_IN_ALL;
  const shown: ChatMessage[] = [];
  for (const message of messages.toReversed()) {
    const { content } = message;
    if (!(Array.isArray(content) && content.some(isImageFile))) {
      shown.push(message);
      continue;
    }
    const parts: unknown[] = [];
    for (const part of content.toReversed()) {
      if (!isImageFile(part)) {
        parts.push(part);
        continue;
      }
      const { file_id: id, detail } = part.image_file;
      const url = await imageOf(source, run, id, Math.min(left, MAX_IMAGE));
      if (url.startsWith('data:')) left -= url.length;
      parts.push(
        url.startsWith('data:')
          ? { type: 'image_url', image_url: { url, detail } }
          : { type: 'text', text: `[image ${id}: ${url}]` },
      );
    }
    shown.push({ ...message, content: parts.reverse() });
  }
  return shown.reverse();
}

/** An image as a `data:` URL; otherwise why there is none. */
async function imageOf({ files }: Source, run: RunDocument, id: string, most: number): Promise<string> {
  const file = await files.find(run, id);
  if (!file) return 'the file is gone';
  if (file.bytes > most) return 'the file is too large to be sent';
  const known = kept.get(file._id);
  if (known !== undefined) return known;
  const content = await files.open(file);
  if (!content) return 'the content of the file is lost';
  const pieces: Uint8Array[] = [];
  for await (const piece of content.read()) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  const type = typeOf(bytes);
  if (type === undefined) return 'the file is no PNG, JPEG, GIF or WebP';
  const url = `data:${type};base64,${bytes.toString('base64')}`;
  kept.set(file._id, url);
  return url;
}
