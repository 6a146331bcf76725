import type {
  LanguageModelV4Content,
  LanguageModelV4File,
  LanguageModelV4Source,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import { type Fields, isText } from '../fields.ts';

// What providers say beyond OpenAI's format, shown when strict compliance is off.

type Sealed = { signature?: string; redactedData?: string };

/** What proves to a provider, when thoughts come back, that they are its own. */
export function sealOf(metadata: SharedV4ProviderMetadata | undefined): Sealed {
  for (const members of Object.values(metadata ?? {})) {
    const { signature, thoughtSignature, redactedData } = members;
    if (isText(redactedData)) return { redactedData };
    if (isText(signature)) return { signature };
    if (isText(thoughtSignature)) return { signature: thoughtSignature };
  }
  return {};
}

/** A part of an answer as a content block in Anthropic's format; null for what has its place elsewhere. */
export function blockOf(part: LanguageModelV4Content): Fields | null {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'file') return imageBlock(part);
  if (part.type !== 'reasoning') return null;
  const { signature, redactedData } = sealOf(part.providerMetadata);
  if (redactedData !== undefined) return { type: 'redacted_thinking', data: redactedData };
  return { type: 'thinking', thinking: part.text, ...(signature !== undefined && { signature }) };
}

export function imageBlock({ mediaType, data }: LanguageModelV4File): Fields {
  if (data.type === 'url') return { type: 'image_url', image_url: { url: data.url.toString() } };
  const text = isText(data.data) ? data.data : Buffer.from(data.data).toString('base64');
  return { type: 'image_url', image_url: { url: `data:${mediaType};base64,${text}` } };
}

export function citationOf(source: LanguageModelV4Source): Fields {
  const details = Object.assign({}, ...Object.values(source.providerMetadata ?? {})) as Fields;
  return source.sourceType === 'url'
    ? { type: 'url', url: source.url, title: source.title, ...details }
    : { type: 'document', title: source.title, filename: source.filename, ...details };
}

/** Google's proof of the thoughts before a function call, where its own OpenAI-compatible API puts it. */
export function callExtras(metadata: SharedV4ProviderMetadata | undefined): Fields {
  const { signature } = sealOf(metadata);
  return signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
}
