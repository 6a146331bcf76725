import type { JsonObject } from '../../../lib/json.ts';
import { Conversation, type Part, type ToolCall } from '../../over-chat/conversation.ts';
import { fieldsAt, isGiven, jsonAt, listAt, refused, textAt } from '../../over-chat/fields.ts';
import { blocksOf, partsOf, partsOfBlock, resultParts } from './content.ts';

/** The system prompt and the turns of a request as chat messages. */
export function messagesOf({ system, messages }: JsonObject): JsonObject[] {
  const conversation = new Conversation();
  if (isGiven(system)) conversation.system(partsOf(system, 'system'));
  for (const [index, item] of listAt(messages, 'messages').entries()) {
    const param = `messages[${index}]`;
    const { role, content } = fieldsAt(item, param);
    if (role === 'user') addUser(conversation, content, `${param}.content`);
    else if (role === 'assistant') addAssistant(conversation, content, `${param}.content`);
    else if (role === 'system') conversation.system(partsOf(content, `${param}.content`));
    else throw refused(`${param}.role`, `${param}.role must be user, assistant or system.`);
  }
  return conversation.messages();
}

function addUser(conversation: Conversation, content: unknown, param: string): void {
  const parts: Part[] = [];
  for (const { block, at } of blocksOf(content, param)) {
    if (block.type === 'tool_result') {
      conversation.toolResult(textAt(block.tool_use_id, `${at}.tool_use_id`), resultParts(block, at));
    } else for (const part of partsOfBlock(block, at)) parts.push(part);
  }
  if (parts.length > 0) conversation.user(parts);
}

function addAssistant(conversation: Conversation, content: unknown, param: string): void {
  const parts: Part[] = [];
  const calls: ToolCall[] = [];
  for (const { block, at } of blocksOf(content, param)) {
    // Thoughts are signed for the provider that had them.
    if (block.type === 'thinking' || block.type === 'redacted_thinking') continue;
    if (block.type === 'tool_use') calls.push(toolCallOf(block, at));
    else for (const part of partsOfBlock(block, at)) parts.push(part);
  }
  if (parts.length > 0) conversation.assistant(parts);
  for (const call of calls) conversation.toolCall(call);
}

const toolCallOf = ({ id, name, input }: JsonObject, at: string): ToolCall => ({
  id: textAt(id, `${at}.id`),
  name: textAt(name, `${at}.name`),
  arguments: jsonAt(fieldsAt(input, `${at}.input`), `${at}.input`),
});
