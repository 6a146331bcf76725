import { Unreadable } from './failure.ts';
import { isRelations, relationsOf } from './relations.ts';
import { walkXml } from './xml.ts';
import { unpack } from './zip.ts';

const PRESENTATION = 'ppt/presentation.xml';
const slidePart = /^ppt\/(slides|notesSlides)\/[^/]+\.xml$/;

/** The paragraphs of each slide and of its notes, in the order in which the slides are shown. */
export function readPptx(bytes: Uint8Array): string {
  const parts = unpack(bytes, (name) => name === PRESENTATION || slidePart.test(name) || isRelations(name));
  const presentation = parts[PRESENTATION];
  if (!presentation) throw new Unreadable('The file has no slides: it is no presentation of PowerPoint.');
  const relations = relationsOf(parts, PRESENTATION);
  return slideIds(presentation)
    .map((id) => textOfSlide(parts, relations.get(id)?.path ?? ''))
    .filter((text) => text !== '')
    .join('\n\n');
}

function slideIds(presentation: Uint8Array): string[] {
  const ids: string[] = [];
  walkXml(presentation, {
    open({ name, attributes }) {
      if (name === 'sldId') ids.push(attributes[':id'] ?? '');
    },
  });
  return ids;
}

function textOfSlide(parts: Record<string, Uint8Array>, path: string): string {
  const notes = [...relationsOf(parts, path).values()].find(({ kind }) => kind === 'notesSlide');
  const texts = [path, notes?.path ?? ''].map((name) => (parts[name] ? paragraphs(parts[name]) : ''));
  return texts.filter((text) => text !== '').join('\n');
}

function paragraphs(part: Uint8Array): string {
  const lines: string[] = [];
  let line = '';
  let isText = false;
  walkXml(part, {
    open({ name }) {
      isText = name === 't';
      if (name === 'br') line += '\n';
      else if (name === 'tab') line += '\t';
    },
    close(name) {
      isText = false;
      if (name !== 'p') return;
      if (line.trim() !== '') lines.push(line);
      line = '';
    },
    text(text) {
      if (isText) line += text;
    },
  });
  return lines.join('\n');
}
