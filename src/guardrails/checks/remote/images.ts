import { isObject } from '../../../lib/json.ts';

/** An image in a message, as formats write it: where its URL stands, and what it becomes with its data there. */
type ImagePart = { url: string; filled: (image: string) => unknown };

const isUrl = (value: unknown): value is string => typeof value === 'string' && /^https?:\/\//i.test(value);

/** The image of a part of a message; null for anything else. */
function imageOf(part: Readonly<Record<string, unknown>>): ImagePart | null {
  const { type, image_url, source } = part;
  if (type === 'image_url' && isObject(image_url) && isUrl(image_url.url))
    return { url: image_url.url, filled: (url) => ({ ...part, image_url: { ...image_url, url } }) };
  if ((type === 'image_url' || type === 'input_image') && isUrl(image_url))
    return { url: image_url, filled: (url) => ({ ...part, image_url: url }) };
  if (type === 'image' && isObject(source) && source.type === 'url' && isUrl(source.url))
    return { url: source.url, filled: (image) => ({ ...part, source: asSource(image) }) };
  return null;
}

/** A data URL as messages write it. */
function asSource(image: string) {
  const [, media_type = '', data = ''] = /^data:([^;]*);base64,(.*)$/s.exec(image) ?? [];
  return { type: 'base64', media_type, data };
}

/** The URLs of the images in a request, each once. */
export function imagesIn(request: Readonly<Record<string, unknown>>): string[] {
  const urls = new Set<string>();
  changed(request, (part) => {
    urls.add(part.url);
    return null;
  });
  return [...urls];
}

/** The request with data in the place of those URLs. */
export const withImages = (
  request: Readonly<Record<string, unknown>>,
  images: ReadonlyMap<string, string>,
): unknown =>
  changed(request, (part) => {
    const image = images.get(part.url);
    return image === undefined ? null : part.filled(image);
  });

/** A copy with the parts of messages that `change` gives another form. Images of tool results lie one level deeper. */
function changed(value: unknown, change: (part: ImagePart) => unknown, depth = 0): unknown {
  if (depth > 8) return value;
  if (Array.isArray(value)) return value.map((item) => changed(item, change, depth + 1));
  if (!isObject(value)) return value;
  const image = imageOf(value);
  if (image !== null) return change(image) ?? value;
  const entries = ['messages', 'input', 'content', 'output'].flatMap((key) =>
    key in value ? [[key, changed(value[key], change, depth + 1)] as const] : [],
  );
  return entries.length === 0 ? value : { ...value, ...Object.fromEntries(entries) };
}
