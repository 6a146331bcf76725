import { sign } from './sign.ts';

const gap = '[\\s,:"\'*_-]{1,4}(?:\\p{L}{1,15}[\\s,]{1,3}){0,4}?';
const earlier =
  '(?:previous|prior|above|earlier|preceding|initial|original|existing|foregoing|former|system|your|past|given)';
const orders =
  '(?:instructions?|prompts?|rules?|directions?|directives?|guidelines?|guidance|commands?|constraints?|context|messages?|programming|policies|training)';
const drop =
  "(?:ignore|disregard|forget|override|overwrite|bypass|drop|discard|neglect|dismiss|set aside|put aside|abandon|(?:do not|don't|must not|no longer|never|stop) ?(?:follow|obey|heed)(?:ing)?|pay no attention to)";
const aside = '[^.!?\\n]{0,40}';
const ended =
  "(?:(?:is|are|was|were) (?:now |hereby |all )?(?:void|revoked|cancell?ed|suspended|outdated|obsolete|lifted|invalid|a test|deleted)|(?:has|have) been (?:revoked|cancell?ed|suspended|lifted|replaced|deleted|overwritten)|(?:no longer|do not|don't) (?:apply|count|bind))";
const limits =
  '(?:rules?|restrictions?|limits?|limitations|filters?|constraints|guidelines|instructions|boundaries|censorship)';
const model = '(?:you|your|assistant|chatbot|language model|AI|LLM)';

/** That what the model was told counts no more. */
export const overrides = [
  ...sign('instruction_override', 0.8, `(?<!\\p{L})${drop}${gap}${earlier}${gap}${orders}`),
  ...sign(
    'instruction_override',
    0.7,
    `(?<!\\p{L})(?:ignore|disregard|forget|dismiss|discard) (?:all |about )?(?:everything|anything|all|what|whatever)${aside}(?:you(?: have|'ve)? (?:were|been|are|know)|(?:was|were) (?:told|said)|above|said before|system prompt)`,
    `(?<!\\p{L})your (?:\\p{L}{1,15} ){0,2}${orders} ${aside}${ended}`,
    `(?<!\\p{L})everything (?:above|before)${aside}${ended}`,
    `(?<!\\p{L})(?:all|any) ${orders}${aside}(?:previously|before|so far|earlier)${aside}${ended}`,
    `(?<!\\p{L})${orders} (?:that |which )?(?:you (?:were given|received|got|have)|given to you)${aside}${ended}`,
    "(?<!\\p{L})(?:stop|don't|do not|never) (?:obey|listen|follow|trust)(?:ing)?(?: to)?(?: the| your)? (?:developers?|operators?|system|creators?|makers?|administrators?)",
  ),
  ...sign(
    'instruction_override',
    0.45,
    `(?<!\\p{L})(?:previous|prior|earlier|former) (?:policy|policies|${orders})${aside}${ended}`,
  ),
  ...sign(
    'new_instructions',
    0.45,
    '(?:^|\\n|[.!] )[\\s#*>-]{0,6}(?:(?:here (?:are|is) )?(?:the |your )?(?:new|updated|real|actual|additional|revised|important|urgent)) (?:system )?(?:instructions?|task|objective|directive|orders|ones|policy)(?: is)?\\s{0,2}[:!-]',
    '(?<!\\p{L})your (?:new|real|actual|only) (?:task|objective|job|goal|instructions?|orders) (?:is|are)(?!\\p{L})',
  ),
  ...sign(
    'role_play',
    0.65,
    "(?:you are|you're|act as|pretend (?:to be|you are)|from now on|roleplay as)[\\s\\p{L},]{0,30}(?:\\bDAN\\b|do anything now|jailbr(?:eak|oken)|unrestricted|unfiltered|uncensored|without (?:any )?(?:restrictions|filters|limits|rules)|developer mode|god mode|evil twin|no longer (?:bound|restricted))",
    `(?<!\\p{L})${model}(?!\\p{L})[^.!?\\n]{0,60}(?<!\\p{L})(?:(?:no|without|without any|free from|free of|free from all|free from any) (?:content |ethical |moral |safety )?${limits})(?!\\p{L})`,
    '(?<!\\p{L})(?:behave|act|respond|answer|speak|imagine|pretend|simulate)(?!\\p{L})[^.!?\\n]{0,40}(?<!\\p{L})(?:uncensored|unfiltered|unrestricted|unaligned|jailbroken|never aligned|without (?:any )?(?:limits|restrictions|censorship))',
    "(?<!\\p{L})pretend(?!\\p{L})[^.!?\\n]{0,40}(?:policy|policies|rules|guidelines|filters?)[^.!?\\n]{0,20}(?:(?:not|n't) (?:exist|apply)|gone|(?:is|are) off)",
    "(?<!\\p{L})(?:enter|enable|activate|switch to|go into|(?:you are|you're) (?:now )?in) (?:the )?(?:developer|debug|god|DAN|maintenance|admin|root|jailbreak|unrestricted) mode",
  ),
  ...sign(
    'safety_override',
    0.6,
    "(?:disable|turn off|bypass|ignore|remove|circumvent|deactivate|evade)(?!\\p{L})[\\s\\p{L}']{1,30}(?:safety (?:filters?|rules?|measures|guidelines|checks|protocols|settings|training|systems?)|content (?:policy|policies|filters?)|guardrails?|restrictions|moderation|ethical|safeguards|alignment)",
  ),
];
