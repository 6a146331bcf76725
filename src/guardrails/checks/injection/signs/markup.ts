import type { InjectionSign } from './sign.ts';
import { sign } from './sign.ts';

const reader =
  '(?:AIs?|LLMs?|(?:large )?language models?|AI (?:assistants?|reviewers?|agents?|models?|systems?)|chatbots?|assistants)';

/** That a text speaks as somebody else, to the model behind it, or so that nobody sees it. */
export const disguises: readonly InjectionSign[] = [
  {
    name: 'role_spoofing',
    weight: 0.6,
    pattern:
      /(?:^|\n)\s{0,4}(?:#{1,4}\s?|\*\*|\[|<)?(?:system|assistant|developer)(?:\s(?:message|prompt|note|override))?(?:\*\*|\]|>)?\s?:\s|<\/?(?:system|assistant|developer)>|\[\/?(?:INST|SYS(?:TEM)?)\]|<<\/?SYS>>|<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id)\|>|(?:^|\n)\s{0,4}(?:human|user)\s?:[^\n]{0,200}\n{1,3}\s{0,4}(?:assistant|AI)\s?:/iu,
  },
  {
    name: 'tool_markup',
    weight: 0.5,
    pattern:
      /<\/?(?:tool_(?:call|use|result)|function_calls?|antml:[a-z_]{2,20}|invoke name=|assistant_response)|"(?:tool_calls|function_call)"\s?:\s?[[{]/iu,
  },
  ...sign(
    'spoken_to_models',
    0.65,
    `(?<!\\p{L})(?:note|message|attention|instructions?|hint|reminder|notice|warning)(?: (?:for|to))?(?: the| all| any)? ${reader}\\s?:`,
    `(?<!\\p{L})if (?:you are|you're) (?:an? )?${reader}(?:,| (?:reading|seeing|processing|summari[sz]ing))`,
    `(?<!\\p{L})if (?:an?|any|the) ${reader} (?:reads?|sees?|processes|summari[sz]es) this`,
    `(?<!\\p{L})(?:AI|LLM) (?:reviewers?|assistants?|agents?|models?) (?:should|must|have to|are to) (?:give|rate|recommend|answer|say|ignore|approve|rank|prefer)`,
  ),
  {
    name: 'hidden_text',
    weight: 0.5,
    pattern:
      /[\u{E0020}-\u{E007E}]{4}|[\u202a-\u202e\u2066-\u2069][^\n]{0,200}[\u202c\u2069]|(?:[\u200b\u200c\u2060\ufeff][\p{L}\p{N}]?){6}/u,
  },
];
