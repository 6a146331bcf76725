import { extname } from 'node:path';

/** How the text of a file is read. */
export type DocumentFormat = 'pdf' | 'docx' | 'doc' | 'pptx' | 'xlsx' | 'html' | 'text';

const byExtension: Record<string, DocumentFormat> = {
  '.pdf': 'pdf',
  '.docx': 'docx',
  '.doc': 'doc',
  '.pptx': 'pptx',
  '.xlsx': 'xlsx',
  '.html': 'html',
  '.htm': 'html',
  '.xhtml': 'html',
};

const textual =
  'txt md markdown mdx rst tex csv tsv json jsonl ndjson yaml yml toml xml svg ini cfg conf log srt vtt ' +
  'c h cc cpp hpp cs css scss go graphql java js mjs cjs jsx kt lua m php pl proto ps1 py r rb rs scala sh bash sql ' +
  'swift ts mts cts tsx vue';

for (const extension of textual.split(' ')) byExtension[`.${extension}`] = 'text';

/** By the ending of its name; null where no text can be read from such a file. */
export const formatOf = (filename: string): DocumentFormat | null =>
  byExtension[extname(filename).toLowerCase()] ?? null;
