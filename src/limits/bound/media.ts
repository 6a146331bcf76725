/** What a body has beside text. */
export type MediaCount = {
  /** Bytes that spell images, audio and files. */
  bytes: number;
  tokens: number;
  /** Things that are only named, by an id or an address. */
  elsewhere: number;
  /** Whether `tokens` is the most that they can come to. */
  isCertain: boolean;
};

/** Tokens of the largest image, as models count it after they have made it smaller. */
const PER_IMAGE = 5000;
/** Bytes of audio, video and documents for a token: a guess. */
const BYTES_OF_A_TOKEN = 16;
/** A body is nested by callers as they like; what lies deeper is text. */
const MAX_DEPTH = 24;

const imageAddresses: ReadonlySet<string> = new Set(['image_url', 'image_uri', 'url', 'uri']);
const references: ReadonlySet<string> = new Set(['file_id', 'file_uri', 'fileUri', 'file_url']);

/** Reads a body in any of the formats in which images and files are sent. */
export function readMedia(value: unknown): MediaCount {
  const media: MediaCount = { bytes: 0, tokens: 0, elsewhere: 0, isCertain: true };
  look(value, media, 0);
  return media;
}

function look(value: unknown, media: MediaCount, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const item of value) look(item, media, depth + 1);
    return;
  }
  const holder = value as Record<string, unknown>;
  for (const name in holder) {
    const member = holder[name];
    if (typeof member === 'string') lookAt(name, member, holder, media);
    else look(member, media, depth + 1);
  }
}

function lookAt(name: string, text: string, holder: Record<string, unknown>, media: MediaCount): void {
  if (references.has(name)) {
    media.elsewhere++;
  } else if (text.startsWith('data:')) {
    addInline(text.slice('data:'.length, 64), text.length, media);
  } else if (name === 'data') {
    const type = holder.media_type ?? holder.mime_type ?? holder.mimeType;
    if (typeof type === 'string') addInline(type, text.length, media);
    else if (typeof holder.format === 'string') addInline(`audio/${holder.format}`, text.length, media);
  } else if (imageAddresses.has(name) && /^\w+:\/\//.test(text)) {
    media.tokens += PER_IMAGE;
    media.isCertain = false;
  }
}

function addInline(type: string, bytes: number, media: MediaCount): void {
  // Text is counted as such.
  if (type.startsWith('text/')) return;
  media.bytes += bytes;
  if (type.startsWith('image/')) {
    media.tokens += PER_IMAGE;
    return;
  }
  media.tokens += Math.ceil(bytes / BYTES_OF_A_TOKEN);
  media.isCertain = false;
}
