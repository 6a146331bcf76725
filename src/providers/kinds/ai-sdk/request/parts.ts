import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider';
import { isObject } from '../../../../lib/json.ts';
import { type Fields, isText, RequestProblem } from '../fields.ts';
import { cacheOptions } from './cache-control.ts';

type Part = LanguageModelV4TextPart | LanguageModelV4FilePart;

/** A message's content: a text, or a list of texts, images, audio and files. */
export function partsOf(content: unknown, at: string): Part[] {
  if (isText(content)) return [{ type: 'text', text: content }];
  if (!Array.isArray(content))
    throw new RequestProblem(`${at}.content must be a text or a list of parts.`, `${at}.content`);
  return content.map((part, index) => partOf(part, `${at}.content[${index}]`));
}

function partOf(part: unknown, at: string): Part {
  if (!isObject(part)) throw new RequestProblem(`${at} must be an object.`, at);
  const providerOptions = cacheOptions(part.cache_control);
  if (part.type === 'text') {
    if (!isText(part.text)) throw new RequestProblem(`${at}.text must be a text.`, `${at}.text`);
    return { type: 'text', text: part.text, providerOptions };
  }
  const read = media[String(part.type)];
  if (!read)
    throw new RequestProblem(`${at}.type must be text, image_url, input_audio or file.`, `${at}.type`);
  return { ...read(part, at), providerOptions };
}

type Read = (part: Fields, at: string) => LanguageModelV4FilePart;

const media: Record<string, Read | undefined> = {
  image_url: ({ image_url: image }, at) => {
    const url = isObject(image) ? image.url : image;
    if (!isText(url)) throw new RequestProblem(`${at}.image_url.url must be a URL.`, `${at}.image_url.url`);
    return fileOf(url, 'image/*', `${at}.image_url.url`);
  },
  input_audio: ({ input_audio: audio }, at) => {
    const { data, format } = isObject(audio) ? audio : {};
    if (!isText(data) || !isText(format) || !/^[a-z0-9]{2,8}$/i.test(format))
      throw new RequestProblem(
        `${at}.input_audio must have data in base64 and a format such as wav.`,
        `${at}.input_audio`,
      );
    return {
      type: 'file',
      mediaType: format === 'mp3' ? 'audio/mpeg' : `audio/${format.toLowerCase()}`,
      data: { type: 'data', data },
    };
  },
  file: ({ file }, at) => {
    const { file_data: data, filename, file_id: id } = isObject(file) ? file : {};
    if (id !== undefined && data === undefined)
      throw new RequestProblem(
        `${at}.file.file_id: this provider has no files of that kind, send file_data.`,
        `${at}.file.file_id`,
      );
    if (!isText(data))
      throw new RequestProblem(`${at}.file.file_data must be a data URL.`, `${at}.file.file_data`);
    return {
      ...fileOf(data, 'application/pdf', `${at}.file.file_data`),
      ...(isText(filename) && { filename }),
    };
  },
};

const dataUrl = /^data:([^;,]+)?(;[^,]*)?,/;

/** Data in the URL itself, or where the provider finds it: the gateway fetches nothing for it. */
function fileOf(url: string, fallback: string, at: string): LanguageModelV4FilePart {
  const match = dataUrl.exec(url.slice(0, 512));
  if (match) {
    const mediaType = match[1] ?? fallback;
    const data = url.slice(match[0].length);
    if (!match[2]?.includes('base64'))
      throw new RequestProblem(`${at}: data URLs must be written in base64.`, at);
    if (!mediaType.startsWith('text/')) return { type: 'file', mediaType, data: { type: 'data', data } };
    return {
      type: 'file',
      mediaType,
      data: { type: 'text', text: Buffer.from(data, 'base64').toString('utf8') },
    };
  }
  if (!URL.canParse(url) || !/^(https?|gs|s3):/.test(url))
    throw new RequestProblem(`${at} must be a data URL or a URL with http or https.`, at);
  const parsed = new URL(url);
  return {
    type: 'file',
    mediaType: typeByEnding(parsed.pathname) ?? fallback,
    data: { type: 'url', url: parsed },
  };
}

const types: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  heic: 'image/heic',
  pdf: 'application/pdf',
  mp4: 'video/mp4',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
};

const typeByEnding = (path: string): string | undefined =>
  types[/\.([a-z0-9]{2,5})$/i.exec(path)?.[1]?.toLowerCase() ?? ''];
