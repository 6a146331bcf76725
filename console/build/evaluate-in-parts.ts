import type { Plugin } from 'vite';

type Chunk = { fileName: string; imports: readonly string[]; isEntry: boolean };

/**
 * Names each script of the first page as a module of its own, before those that import it: the browser evaluates them one after
 * the other and answers in between. Named as preloads alone, all of them would be evaluated in one go.
 */
export const evaluateInParts = (): Plugin => ({
  name: 'evaluate-in-parts',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle }) {
      const chunks = Object.values(bundle ?? {}).filter((file) => file.type === 'chunk');
      const entry = chunks.find(({ isEntry }) => isEntry);
      if (!entry) throw new Error('The bundle has no entry.');
      const parts = importedBy(entry, chunks);
      const element = (name: string) => `<script type="module" crossorigin src="./${name}"></script>`;
      const preloads = parts.map((name) => `<link rel="modulepreload" crossorigin href="./${name}">`);
      const last = element(entry.fileName);
      for (const text of [last, ...preloads])
        if (!html.includes(text)) throw new Error(`index.html does not have ${text}.`);
      const without = preloads.reduce((text, preload) => text.replace(preload, ''), html);
      return without.replace(last, [...parts.map(element), last].join('\n    '));
    },
  },
});

/** What a script imports, at whatever depth, each before those that import it. */
function importedBy({ imports }: Chunk, chunks: readonly Chunk[], found = new Set<string>()): string[] {
  for (const name of imports) {
    const chunk = chunks.find(({ fileName }) => fileName === name);
    if (!chunk || found.has(name)) continue;
    importedBy(chunk, chunks, found);
    found.add(name);
  }
  return [...found];
}
