import { Unreadable } from './failure.ts';
import { isRelations, relationsOf } from './relations.ts';
import { walkXml } from './xml.ts';
import { unpack } from './zip.ts';

const SHARED = 'xl/sharedStrings.xml';
const WORKBOOK = 'xl/workbook.xml';
const sheetFile = /^xl\/worksheets\/[^/]+\.xml$/;

/**
 * The sheets of a workbook in their order: the name of each, then its rows as lines with tabs between cells. Numbers and dates
 * are as they are stored, formulas as their last results.
 */
export function readXlsx(bytes: Uint8Array): string {
  const isWanted = (name: string) =>
    name === SHARED || name === WORKBOOK || sheetFile.test(name) || isRelations(name);
  const parts = unpack(bytes, isWanted);
  const workbook = parts[WORKBOOK];
  if (!workbook) throw new Unreadable('The file has no workbook: it is no table of Excel.');
  const strings = parts[SHARED] ? sharedStrings(parts[SHARED]) : [];
  const relations = relationsOf(parts, WORKBOOK);
  return sheetsOf(workbook)
    .map(({ name, id }) => {
      const sheet = parts[relations.get(id)?.path ?? ''];
      return sheet ? `${name}\n${rowsOf(sheet, strings)}` : name;
    })
    .join('\n\n');
}

function sheetsOf(workbook: Uint8Array): { name: string; id: string }[] {
  const sheets: { name: string; id: string }[] = [];
  walkXml(workbook, {
    open({ name, attributes }) {
      if (name === 'sheet') sheets.push({ name: attributes.name ?? '', id: attributes[':id'] ?? '' });
    },
  });
  return sheets;
}

function sharedStrings(part: Uint8Array): string[] {
  const strings: string[] = [];
  let text = '';
  let isText = false;
  walkXml(part, {
    open({ name }) {
      isText = name === 't';
    },
    close(name) {
      isText = false;
      if (name !== 'si') return;
      strings.push(text);
      text = '';
    },
    text(more) {
      if (isText) text += more;
    },
  });
  return strings;
}

function rowsOf(sheet: Uint8Array, strings: readonly string[]): string {
  const rows: string[] = [];
  let cells: string[] = [];
  let kind = '';
  let value = '';
  let isValue = false;
  walkXml(sheet, {
    open({ name, attributes }) {
      if (name === 'c') {
        kind = attributes.t ?? 'n';
        value = '';
      }
      isValue = name === 'v' || name === 't';
    },
    close(name) {
      isValue = false;
      if (name === 'c') cells.push(kind === 's' ? (strings[Number(value)] ?? '') : value);
      if (name !== 'row') return;
      if (cells.some((cell) => cell !== '')) rows.push(cells.join('\t'));
      cells = [];
    },
    text(more) {
      if (isValue) value += more;
    },
  });
  return rows.join('\n');
}
