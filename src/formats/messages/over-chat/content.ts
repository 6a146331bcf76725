import type { JsonObject } from '../../../lib/json.ts';
import { type Part, textPart } from '../../over-chat/conversation.ts';
import { fieldsAt, isGiven, listAt, quoted, refused, textAt } from '../../over-chat/fields.ts';

/** Content as blocks, each with where it stands; a string is one text. */
export function blocksOf(content: unknown, param: string): { block: JsonObject; at: string }[] {
  if (typeof content === 'string') return [{ block: { type: 'text', text: content }, at: param }];
  return listAt(content, param).map((item, index) => {
    const at = `${param}[${index}]`;
    return { block: fieldsAt(item, at), at };
  });
}

/** The content of a system prompt or of a tool's result. */
export const partsOf = (content: unknown, param: string): Part[] =>
  blocksOf(content, param).flatMap(({ block, at }) => partsOfBlock(block, at));

export function partsOfBlock(block: JsonObject, param: string): Part[] {
  switch (block.type) {
    case 'text':
      return [textPart(textAt(block.text, `${param}.text`))];
    case 'image':
      return [imagePart(fieldsAt(block.source, `${param}.source`), `${param}.source`)];
    case 'document':
      return documentParts(block, param);
    default:
      throw refused(`${param}.type`, `This provider takes no content of the type ${quoted(block.type)}.`);
  }
}

function imagePart(source: JsonObject, param: string): Part {
  if (source.type === 'base64') return { type: 'image_url', image_url: { url: dataUrl(source, param) } };
  if (source.type === 'url')
    return { type: 'image_url', image_url: { url: textAt(source.url, `${param}.url`) } };
  throw refused(`${param}.type`, 'This provider takes images as base64 or url.');
}

function documentParts(block: JsonObject, param: string): Part[] {
  const source = fieldsAt(block.source, `${param}.source`);
  const at = `${param}.source`;
  switch (source.type) {
    case 'text': {
      const before = [block.title, block.context].filter((text) => typeof text === 'string');
      return [textPart([...before, textAt(source.data, `${at}.data`)].join('\n\n'))];
    }
    case 'content':
      return partsOf(source.content, `${at}.content`);
    case 'base64':
      return [{ type: 'file', file: { filename: fileName(block), file_data: dataUrl(source, at) } }];
    case 'file':
      return [{ type: 'file', file: { file_id: textAt(source.file_id, `${at}.file_id`) } }];
    default:
      throw refused(`${at}.type`, 'This provider takes documents as text, content, base64 or file.');
  }
}

const dataUrl = (source: JsonObject, param: string): string =>
  `data:${textAt(source.media_type, `${param}.media_type`)};base64,${textAt(source.data, `${param}.data`)}`;

const fileName = ({ title }: JsonObject): string => (typeof title === 'string' ? title : 'document.pdf');

/** What a tool answered. Chat has no mark for a failure: the text says it. */
export function resultParts(block: JsonObject, param: string): Part[] {
  const parts = isGiven(block.content) ? partsOf(block.content, `${param}.content`) : [];
  if (block.is_error !== true) return parts;
  const [first, ...rest] = parts;
  return first?.type === 'text' ? [textPart(`Error: ${first.text}`), ...rest] : [textPart('Error'), ...parts];
}
