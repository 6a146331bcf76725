import type { JsonObject } from '../../../lib/json.ts';
import { Conversation, type Part, textPart } from '../../over-chat/conversation.ts';
import { fieldsAt, isGiven, listAt, picked, quoted, refused, textAt } from '../../over-chat/fields.ts';

/** Instructions and input as chat messages. */
export function messagesOf({ instructions, input }: JsonObject): JsonObject[] {
  const conversation = new Conversation();
  if (isGiven(instructions)) conversation.system([textPart(textAt(instructions, 'instructions'))]);
  if (typeof input === 'string') conversation.user([textPart(input)]);
  else {
    for (const [index, item] of listAt(input, 'input').entries()) {
      const param = `input[${index}]`;
      addItem(conversation, fieldsAt(item, param), param);
    }
  }
  return conversation.messages();
}

function addItem(conversation: Conversation, item: JsonObject, param: string): void {
  switch (item.type ?? 'message') {
    case 'message':
      addMessage(conversation, item, param);
      break;
    case 'function_call':
      conversation.toolCall({
        id: textAt(item.call_id, `${param}.call_id`),
        name: textAt(item.name, `${param}.name`),
        arguments: textAt(item.arguments, `${param}.arguments`),
      });
      break;
    case 'function_call_output': {
      const parts = partsOf(item.output, `${param}.output`);
      conversation.toolResult(textAt(item.call_id, `${param}.call_id`), parts);
      break;
    }
    // Thoughts are for the provider that had them.
    case 'reasoning':
      break;
    default:
      throw refused(`${param}.type`, `This provider takes no input of the type ${quoted(item.type)}.`);
  }
}

function addMessage(conversation: Conversation, { role, content }: JsonObject, param: string): void {
  const parts = partsOf(content, `${param}.content`);
  if (role === 'user') conversation.user(parts);
  else if (role === 'assistant') conversation.assistant(parts);
  else if (role === 'system' || role === 'developer') conversation.system(parts);
  else throw refused(`${param}.role`, `${param}.role must be user, assistant, system or developer.`);
}

function partsOf(content: unknown, param: string): Part[] {
  if (typeof content === 'string') return [textPart(content)];
  return listAt(content, param).map((part, index) => {
    const at = `${param}[${index}]`;
    return partOf(fieldsAt(part, at), at);
  });
}

function partOf(part: JsonObject, param: string): Part {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return textPart(textAt(part.text, `${param}.text`));
    case 'refusal':
      return textPart(textAt(part.refusal, `${param}.refusal`));
    case 'input_image':
      return imagePart(part, param);
    case 'input_file':
      return filePart(part, param);
    default:
      throw refused(`${param}.type`, `This provider takes no content of the type ${quoted(part.type)}.`);
  }
}

function imagePart(part: JsonObject, param: string): Part {
  if (isGiven(part.file_id))
    throw refused(`${param}.file_id`, 'This provider takes images by image_url, not by file_id.');
  const url = textAt(part.image_url, `${param}.image_url`);
  return { type: 'image_url', image_url: { url, ...picked(part, ['detail']) } };
}

function filePart(part: JsonObject, param: string): Part {
  if (isGiven(part.file_url))
    throw refused(`${param}.file_url`, 'This provider takes files by file_data or file_id, not by file_url.');
  const file = picked(part, ['file_data', 'filename', 'file_id']);
  if (!isGiven(file.file_data) && !isGiven(file.file_id))
    throw refused(`${param}.file_data`, 'A file needs file_data or file_id.');
  return { type: 'file', file };
}
