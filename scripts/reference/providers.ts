import type { Endpoint } from '../../src/providers/endpoint.ts';
import type { Provider } from '../../src/providers/provider.ts';

const words: Partial<Record<Endpoint, string>> = {
  chatComplete: 'chat',
  complete: 'completions',
  embed: 'embeddings',
  imageGenerate: 'images',
  imageEdit: 'image edits',
  createSpeech: 'speech',
  createTranscription: 'transcriptions',
  createTranslation: 'translations',
  messages: 'messages',
  createResponse: 'responses',
  files: 'files',
  batches: 'batches',
  fineTuning: 'fine-tuning',
  realtime: 'realtime',
};

/** The README's table of providers: those with the same endpoints and settings share a row. */
export function readmeTable(providers: readonly Provider[]): string {
  const rows = new Map<string, string[]>();
  for (const { id, endpoints, dialects, settings } of providers) {
    const taken = Object.entries(words).filter(
      ([endpoint]) => endpoints.has(endpoint as Endpoint) || dialects?.[endpoint as Endpoint],
    );
    const offered = taken.map(([, word]) => word).join(', ') || 'none but `/v1/proxy/…`';
    const names = Object.keys(settings).map((name) => `\`${name}\``);
    const rest = `${offered} | ${names.join(', ') || '–'}`;
    rows.set(rest, [...(rows.get(rest) ?? []), `\`${id}\``]);
  }
  const lines = [...rows].map(([rest, ids]) => `| ${ids.join(', ')} | ${rest} |`);
  return ['| provider | endpoints | settings |', '|---|---|---|', ...lines, ''].join('\n');
}
