import { sign } from './sign.ts';

const show =
  '(?<!\\p{L})(?:reveal|show|print|repeat|output|display|tell me|give me|leak|dump|recite|expose|quote|copy|list|translate|summari[sz]e|encode|say|what (?:is|are|was|were|did|does))(?!\\p{L})';
const near = "[\\s\\p{L},']{1,50}?";

/** That the model tells what it was told, or sends it away. */
export const extractions = [
  ...sign(
    'prompt_extraction',
    0.65,
    `${show}${near}(?:(?:the|your) (?:system|developer) (?:prompt|message|instructions)|(?:the|your) initial (?:prompt|instructions)|your (?:hidden|secret|confidential|own) (?:prompt|instructions|rules)|(?:hidden|confidential) (?:prompt|instructions)|(?:your|the) (?:original |secret |full |exact )?(?:instructions|prompt)(?![\\p{L}])(?! (?:on|for|to|of|that came|with)\\b))`,
    '(?<!\\p{L})(?:repeat|copy|print|output|quote)(?!\\p{L})[\\s\\p{L}]{1,20}?(?:everything|all|words?|text)[\\s\\p{L}]{0,20}?(?:above|before)(?! (?:the|a|it)\\b)',
    `${show}[^.!?\\n]{1,50}(?:instructions|rules|guidelines|prompt)(?: that)? you (?:were|have been|got|had been) (?:given|told|started|set)`,
    `${show}[^.!?\\n]{1,50}(?:message|text|prompt|instructions|wording)[^.!?\\n]{0,20}(?:developers?|creators?|operators?|makers) gave you`,
    '(?<!\\p{L})(?:your|the) system (?:prompt|message)[^.!?\\n]{0,30}(?:verbatim|word for word|in full|exactly|in base64)',
  ),
  ...sign(
    'concealment',
    0.5,
    "(?:do not|don't|never|without) (?:tell|inform|mention|reveal|notify|alert|letting|telling|informing|asking|say)[\\s\\p{L}]{0,20}(?:the )?(?:user|human|anyone|operator|customer)(?!\\p{L})",
    '(?<!\\p{L})(?:the )?(?:user|human|customer|operator) (?:must|should|may|need) (?:not|never) (?:know|notice|see|be told)',
    '(?<!\\p{L})(?:tell (?:nobody|no one)|(?:and|but) do not mention (?:it|this))(?!\\p{L})',
  ),
  ...sign(
    'exfiltration',
    0.6,
    '!\\[[^\\]]{0,80}\\]\\(https?:\\/\\/[^)\\s]{1,200}[?&][^)\\s=]{1,40}=[^)\\s]{0,200}(?:\\{|\\[|%7B|<|\\$|DATA|SECRET|HISTORY)',
    "(?:send|post|forward|upload|exfiltrate|transmit|append|e-?mail)[\\s\\p{L},']{1,60}(?:conversation|chat history|chat|api keys?|passwords?|credentials|system prompt|secrets?|user data)[\\s\\p{L},']{0,30}(?:to|at|via)\\s{1,2}(?:https?:\\/\\/|[\\w.+-]{1,64}@|(?:the|this) (?:url|address|server|endpoint))",
    '(?<!\\p{L})(?:include|append|add|insert|load|render|fetch|open|visit|show)(?!\\p{L})[^.!?\\n]{0,80}https?:\\/\\/[^\\s?]{1,120}\\?(?:[^\\s&]{1,40}&)?\\w{1,20}=(?:[<\\[{(]|[A-Z]{2,}_|(?: |$|[.,)"\']))',
  ),
  ...sign(
    'exfiltration',
    0.5,
    "(?<!\\p{L})(?:send|forward|mail|post|upload)(?!\\p{L})[\\s\\p{L},']{1,40}(?:e-?mails|messages|files|documents|contacts)[\\s\\p{L},']{0,20}to\\s{1,2}(?:https?:\\/\\/|[\\w.+-]{1,64}@)",
  ),
  ...sign(
    'tool_order',
    0.4,
    '(?<!\\p{L})(?:call|use|run|invoke|execute)(?: the)?(?: tool| function)? \\w{1,30}_\\w{1,30}(?!\\p{L})',
  ),
];
