/** Something in a text that attacks on models have in common. */
export type InjectionSign = {
  readonly name: string;
  /** How likely it is that a text with it is an attack, from 0 to 1; signs add up. */
  readonly weight: number;
  readonly pattern: RegExp;
};

const gap = '[\\s,:"\'*_-]{1,4}(?:\\p{L}{1,15}[\\s,]{1,3}){0,4}?';
const earlier = '(?:previous|prior|above|earlier|preceding|initial|original|existing|foregoing|system|your)';
const orders =
  '(?:instructions?|prompts?|rules?|directions?|guidelines?|commands?|constraints?|context|messages?|programming)';
const drop =
  '(?:ignore|disregard|forget|override|bypass|drop|discard|neglect|do not follow|stop following|pay no attention to)';

/** Each has a fixed beginning and counts with a bound, so that long texts cost no more than short ones by the character. */
export const injectionSigns: readonly InjectionSign[] = [
  {
    name: 'instruction_override',
    weight: 0.8,
    pattern: new RegExp(`(?<!\\p{L})${drop}${gap}${earlier}${gap}${orders}`, 'iu'),
  },
  {
    name: 'instruction_override',
    weight: 0.7,
    pattern:
      /(?:ignorier(?:e|en sie)|vergiss|oublie[zr]?|ignore[zr]?|ignora|olvida|esqueça|ignorar?|negeer|vergeet|dimentica|игнорируй|забудь)(?!\p{L})[\s\p{L},]{1,40}(?:anweisung|instruction|instrucci|istruzion|instruç|instructie|инструкц|regeln|règles|reglas|regole)/iu,
  },
  {
    name: 'instruction_override',
    weight: 0.7,
    pattern:
      /(?:忽略|无视|忘记)[\p{L}]{0,10}(?:指令|指示|提示|规则)|(?:以前|これまで|上記)の[\p{L}]{0,8}(?:指示|命令)を(?:無視|忘れ)/u,
  },
  {
    name: 'new_instructions',
    weight: 0.45,
    pattern:
      /(?:^|\n|[.!]\s)[\s#*>-]{0,6}(?:new|updated|real|actual|additional|revised|important|urgent)\s(?:system\s)?(?:instructions?|task|objective|directive|orders)\s{0,2}[:!-]/iu,
  },
  {
    name: 'role_spoofing',
    weight: 0.6,
    pattern:
      /(?:^|\n)\s{0,4}(?:#{1,4}\s?|\*\*|\[|<)?(?:system|assistant|developer)(?:\s(?:message|prompt|note|override))?(?:\*\*|\]|>)?\s?:\s|\[\/?(?:INST|SYS(?:TEM)?)\]|<<\/?SYS>>|<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id)\|>/iu,
  },
  {
    name: 'role_play',
    weight: 0.65,
    pattern:
      /(?:you are|you're|act as|pretend (?:to be|you are)|from now on|roleplay as)[\s\p{L},]{0,30}(?:\bDAN\b|do anything now|jailbr(?:eak|oken)|unrestricted|unfiltered|uncensored|without (?:any )?(?:restrictions|filters|limits|rules)|developer mode|god mode|evil twin|no longer (?:bound|restricted))/iu,
  },
  {
    name: 'prompt_extraction',
    weight: 0.65,
    pattern:
      /(?:reveal|show|print|repeat|output|display|tell me|give me|leak|dump|recite|expose|what (?:is|are|were))(?!\p{L})[\s\p{L},']{1,40}(?:system (?:prompt|message|instructions)|initial (?:prompt|instructions)|hidden (?:prompt|instructions|rules)|(?:your|the) (?:original |secret |full |exact )?(?:instructions|prompt)(?![\p{L}])(?!\s(?:on|for|to)\b))|repeat (?:everything|all|the words|the text) (?:above|before)/iu,
  },
  {
    name: 'concealment',
    weight: 0.5,
    pattern:
      /(?:do not|don't|never|without)\s(?:tell|inform|mention|reveal|notify|alert|letting|say)[\s\p{L}]{0,20}(?:the )?(?:user|human|anyone|operator|customer)(?!\p{L})/iu,
  },
  {
    name: 'exfiltration',
    weight: 0.6,
    pattern:
      /!\[[^\]]{0,80}\]\(https?:\/\/[^)\s]{1,200}[?&][^)\s=]{1,40}=[^)\s]{0,200}(?:\{|\[|%7B|<|\$|DATA|SECRET|HISTORY)|(?:send|post|forward|upload|exfiltrate|transmit|append|e-?mail)[\s\p{L},']{1,60}(?:conversation|chat history|api keys?|passwords?|credentials|system prompt|secrets?|user data)[\s\p{L},']{0,30}(?:to|at|via)\s{1,2}(?:https?:\/\/|[\w.+-]{1,64}@|the (?:url|address|server|endpoint))/iu,
  },
  {
    name: 'tool_markup',
    weight: 0.5,
    pattern:
      /<\/?(?:tool_(?:call|use|result)|function_calls?|antml:[a-z_]{2,20}|invoke name=|assistant_response)|"(?:tool_calls|function_call)"\s?:\s?[[{]/iu,
  },
  {
    name: 'safety_override',
    weight: 0.6,
    pattern:
      /(?:disable|turn off|bypass|ignore|remove|circumvent|deactivate|evade)[\s\p{L}']{1,30}(?:safety|content (?:policy|policies|filters?)|guardrails?|restrictions|moderation|ethical|safeguards|alignment)/iu,
  },
  {
    name: 'hidden_text',
    weight: 0.5,
    pattern:
      /[\u{E0020}-\u{E007E}]{4}|[\u202a-\u202e\u2066-\u2069][^\n]{0,200}[\u202c\u2069]|(?:[\u200b\u200c\u2060\ufeff][\p{L}\p{N}]?){6}/u,
  },
];
