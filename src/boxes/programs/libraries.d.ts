declare module 'html-to-text' {
  export function convert(html: string, options: Record<string, unknown>): string;
}

declare module 'word-extractor' {
  type WordDocument = Record<'getBody' | 'getFootnotes' | 'getEndnotes' | 'getTextboxes', () => string>;
  export default class WordExtractor {
    extract(source: Buffer): Promise<WordDocument>;
  }
}
