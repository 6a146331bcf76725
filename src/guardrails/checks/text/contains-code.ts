import { z } from 'zod';
import { defineCheck } from '../../check.ts';
import { failable, negatable } from '../common.ts';
import { fencedBlocks } from './fenced-blocks.ts';

/** Each language, with what blocks of it are tagged with besides its name in lower case. */
const languages = {
  SQL: ['mysql', 'postgresql', 'postgres', 'plsql', 'tsql', 'sqlite'],
  Python: ['py', 'python3'],
  TypeScript: ['ts', 'tsx'],
  JavaScript: ['js', 'jsx', 'mjs', 'node'],
  Java: [],
  'C#': ['cs', 'csharp'],
  'C++': ['cpp', 'cc', 'cxx', 'hpp'],
  C: ['h'],
  Ruby: ['rb'],
  PHP: [],
  Swift: [],
  Kotlin: ['kt', 'kts'],
  Go: ['golang'],
  Rust: ['rs'],
  Scala: [],
  R: [],
  Perl: ['pl'],
  Shell: ['sh', 'bash', 'zsh', 'shellscript', 'console'],
  HTML: ['htm', 'xhtml'],
  CSS: ['scss', 'less'],
  XML: ['xsl', 'xsd', 'svg'],
  JSON: ['json5', 'jsonc'],
  YAML: ['yml'],
  Markdown: ['md', 'mdx'],
  Dockerfile: ['docker'],
} as const satisfies Record<string, readonly string[]>;

type Language = keyof typeof languages;

const parameters = z.strictObject({
  format: z.enum(Object.keys(languages) as [Language, ...Language[]]).describe('The language of the code.'),
  ...negatable,
  ...failable,
});

export const containsCode = defineCheck({
  id: 'default.containsCode',
  description: 'Passes when the answer has a fenced block that is tagged with the language.',
  phases: ['output'],
  parameters,
  prepare({ format, not }) {
    const tags = new Set<string>([format.toLowerCase(), ...languages[format]]);
    return ({ text }) => {
      const found = fencedBlocks(text).map(({ tag }) => tag.toLowerCase());
      return { verdict: found.some((tag) => tags.has(tag)) !== not, data: { format, not } };
    };
  },
});
