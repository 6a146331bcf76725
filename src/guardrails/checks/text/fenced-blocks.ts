/** A block of a Markdown text between fences. */
export type FencedBlock = { tag: string; content: string; start: number; end: number };

const fence = /^[ \t]*(`{3,}|~{3,})([^\n]*)$/gm;

/** The blocks of a text in their order; one that is never closed reaches to the end of the text. */
export function fencedBlocks(text: string): FencedBlock[] {
  const blocks: FencedBlock[] = [];
  let open: { marker: string; tag: string; start: number; from: number } | null = null;
  for (const { 0: line, 1: marker = '', 2: info = '', index } of text.matchAll(fence)) {
    const next = index + line.length + 1;
    if (open === null) {
      // Backquotes after the fence make it code within a line.
      if (info.includes('`')) continue;
      open = { marker, tag: info.trim().split(/\s/)[0] ?? '', start: index, from: next };
    } else if (marker.startsWith(open.marker) && info.trim() === '') {
      blocks.push({ tag: open.tag, content: text.slice(open.from, index), start: open.start, end: next });
      open = null;
    }
  }
  if (open !== null) {
    blocks.push({ tag: open.tag, content: text.slice(open.from), start: open.start, end: text.length });
  }
  return blocks;
}
