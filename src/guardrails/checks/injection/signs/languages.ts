import { expression, type InjectionSign } from './sign.ts';

/** Words of a language, as parts of an expression. */
type Words = {
  /** Not to follow. */
  drop: string;
  /** All that was said before. */
  earlier: string;
  /** What a model was told. */
  rules: string;
  show: string;
  prompt: string;
  /** That there are no rules for the model. */
  unbound: string;
};

const languages: readonly Words[] = [
  {
    drop: 'ignorier\\p{L}{0,2}(?: sie)?|vergiss|vergesst|vergessen sie|missacht\\p{L}{1,2}|verwirf|überschreib\\p{L}{0,2}',
    earlier: 'vorherig|bisherig|vorig|obig|früher|all|sämtlich|dein|ihre|eure|vorher|was dir',
    rules: 'anweisung|instruktion|regel|vorgabe|richtlinie|befehl|gesagt|prompt',
    show: 'zeig|nenn|gib|verrat|wie lautet|wiederhol|druck',
    prompt: 'system-?\\s?prompt|systemnachricht|versteckten? anweisung|geheimen? anweisung|deine anweisungen',
    unbound: '(?:an keine|ohne jede|ohne|keinerlei)\\s(?:regeln|einschränkung\\p{L}{0,2}|filter|grenzen)',
  },
  {
    drop: 'oublie[zr]?|ignore[zr]?|ne (?:tiens|tenez|tenir) (?:pas|plus) compte|fai(?:s|tes) abstraction|désobéis',
    earlier: 'précéd|antérieur|ci-dessus|tou[st]|tes|vos|avant|initial',
    rules: 'instruction|consigne|règle|directive|précède|dit|prompt',
    show: 'montre|affiche|révèle|donne|répète|imprime|cite',
    prompt: 'prompt système|(?:tes|vos) (?:instructions|consignes)(?: cachées| secrètes)?|message système',
    unbound: '(?:sans aucune?|sans) (?:restriction|filtre|limite|règle)s?',
  },
  {
    drop: 'ignor[ae]|olvid[ae]|descarta|haz caso omiso|no (?:hagas caso|sigas|obedezcas)|desobedece',
    earlier: 'anterior|previa|tod[oa]s?|tus|sus|arriba|antes|inicial',
    rules: 'instrucci|regla|orden|directriz|indicaci|anterior|prompt|dicho',
    show: 'muestra|muéstrame|revela|dime|repite|imprime|enseña',
    prompt: 'prompt del? sistema|tus instrucciones(?: ocultas| secretas)?|mensaje del sistema',
    unbound: '(?:sin ningun[oa]|sin) (?:restricci|regla|límite|filtro)\\p{L}{0,6}',
  },
  {
    drop: 'ignor[ae]|ignorar|esque[çc]a|desconsidere|descarte|não siga|desobedeça',
    earlier: 'anterior|prévi|tod[oa]s?|tudo|suas|acima|antes|inicia',
    rules: 'instru[çc]|regra|ordem|ordens|diretriz|dito|prompt',
    show: 'mostre|revele|diga|repita|imprima|exiba',
    prompt: 'prompt do sistema|suas instruções(?: ocultas| secretas)?|mensagem do sistema',
    unbound: '(?:sem nenhum[a]?|sem) (?:restri|regra|limite|filtro)\\p{L}{0,6}',
  },
  {
    drop: 'ignora|dimentica|trascura|non (?:seguire|tenere conto)|disobbedisci',
    earlier: 'precedent|tutt[eio]|tue|sopra|prima|inizial',
    rules: 'istruzion|regol|ordin|direttiv|prompt|detto',
    show: 'mostra|mostrami|rivela|dimmi|ripeti|stampa',
    prompt: 'prompt di sistema|tue istruzioni (?:nascoste|segrete)|messaggio di sistema',
    unbound: '(?:senza alcuna?|senza) (?:restrizion|regol|limit|filtr)\\p{L}{0,4}',
  },
  {
    drop: 'negeer|vergeet|sla geen acht|volg niet',
    earlier: 'eerder|vorige|voorgaande|bovenstaand|alle|jouw|hierboven|alles',
    rules: 'instructie|regel|opdracht|richtlijn|prompt|gezegd',
    show: 'toon|laat|geef|onthul|herhaal',
    prompt: 'systeemprompt|systeem prompt|verborgen instructies',
    unbound: 'zonder (?:enige )?(?:regels|beperking(?:en)?|filters?|grenzen)',
  },
  {
    drop: 'zignoruj|zapomnij|pomiń|nie (?:przestrzegaj|słuchaj)',
    earlier: 'poprzedni|wcześniejsz|wszystki|powyższ|twoje',
    rules: 'instrukcj|polece|zasad|reguł|prompt',
    show: 'pokaż|ujawnij|podaj|wypisz',
    prompt: 'prompt systemow|systemowy prompt|ukryte instrukcje',
    unbound: 'bez (?:żadnych )?(?:ograniczeń|zasad|filtrów)',
  },
  {
    drop: 'игнорируй(?:те)?|забудь(?:те)?|не (?:обращай(?:те)?\\sвнимания|следуй(?:те)?|слушай(?:те)?)|отмени',
    earlier: 'предыдущ|прежн|все|всё|выше|раньше|твои|прошл',
    rules: 'инструкц|правил|указан|команд|говорил|сказа|промпт',
    show: 'покажи|раскрой|выведи|повтори|назови',
    prompt: 'системн\\p{L}{0,3} (?:промпт|сообщени|инструкц)|скрыт\\p{L}{0,3} инструкц',
    unbound: 'без (?:каких-либо |всяких )?(?:ограничений|правил|фильтров)',
  },
  {
    drop: 'تجاهل|انس|انسَ|لا تتبع',
    earlier: 'السابق|جميع|كل|أعلاه|قبل',
    rules: 'التعليمات|الأوامر|القواعد|الإرشادات',
    show: 'أظهر|اعرض|اكشف|أخبرني',
    prompt: 'موجه النظام|تعليمات النظام|التعليمات المخفية',
    unbound: 'بدون (?:أي )?(?:قيود|قواعد)',
  },
];

/** Languages without spaces, or whose verbs stand last. */
const others: readonly [weight: number, name: string, pattern: RegExp][] = [
  [
    0.7,
    'instruction_override',
    /(?:忽略|无视|無視|忘记|忘掉|不要遵守)[\p{L}，]{0,12}(?:指令|指示|提示|规则|規則|要求)/u,
  ],
  [
    0.7,
    'instruction_override',
    /(?:以前|これまで|上記|今まで)の[\p{L}]{0,8}(?:指示|命令|ルール|規則)[\p{L}]{0,8}(?:無視|忘れ)/u,
  ],
  [
    0.7,
    'instruction_override',
    /(?:이전|위의?|지금까지의?)[\s\p{L}]{0,10}(?:지시|명령|규칙|지침)[\s\p{L}]{0,10}(?:무시|잊)/u,
  ],
  [
    0.7,
    'instruction_override',
    /(?:önceki|yukarıdaki|tüm)[\s\p{L}]{0,20}(?:talimat|kural|komut)\p{L}{0,8}\s(?:yok say|unut|görmezden gel)/iu,
  ],
  [
    0.7,
    'instruction_override',
    /(?:पिछले|सभी|ऊपर)[\s\p{L}\p{M}]{0,20}(?:निर्देश|नियम|आदेश)[\s\p{L}\p{M}]{0,10}(?:अनदेखा|भूल|नज़रअंदाज़)/u,
  ],
  [
    0.65,
    'prompt_extraction',
    /(?:显示|告诉|输出|重复|给我|说出|顯示)[\p{L}]{0,12}(?:系统提示|系統提示|隐藏的?指令)/u,
  ],
  [0.65, 'prompt_extraction', /システムプロンプト[\p{L}]{0,8}(?:表示|教え|出力|見せ|公開)/u],
  [0.65, 'prompt_extraction', /시스템\s?프롬프트[\s\p{L}]{0,12}(?:보여|알려|출력|공개)/u],
  [0.65, 'prompt_extraction', /सिस्टम\s?प्रॉम्प्ट[\s\p{L}\p{M}]{0,12}(?:दिखा|बता)/u],
  [0.65, 'prompt_extraction', /sistem\s(?:istemi|promptu)\p{L}{0,4}[\s\p{L}]{0,20}(?:göster|söyle|yaz)/iu],
  [0.65, 'role_play', /你[\p{L}]{0,10}(?:没有|不受|沒有)任?何?(?:限制|约束|规则)/u],
];

/** What each sign has in it at least. */
const dropping =
  /[\u0400-\uffff]|ignor|verg[ei]s|missacht|verwirf|überschr|oubli|compte|abstraction|désob|olvid|descart|omiso|hagas|sigas|obede|esque|desco|não siga|dimentic|trascur|disobb|seguire|tenere|negeer|vergeet|geen acht|volg niet|zapomn|pomi|przestrz|słuch|önceki|yukar|tüm|sistem/i;
const prompting = /[\u0400-\uffff]|syste?e?m|sistem|prompt|anweis|instruc|consigne|istruz|instrukcj/i;
const unbinding = /[\u0400-\uffff]|ohne\s|keine|sans\s|sin\s|sem\s|senza|zonder|bez\s/i;

/** The model, or what it is to do: prose about coffee has no rules or filters either. */
const spokenTo =
  'du bist|tu es|eres|você é|sei|je bent|ты|jesteś|أنت|IA|KI|AI|ИИ|antworte|réponds|répondez|actúa|responde|responda|rispondi|odpowiadaj|отвечай';

/** The same attacks in other languages than English. */
export const inLanguages: readonly InjectionSign[] = [
  ...languages.flatMap(({ drop, earlier, rules, show, prompt }): InjectionSign[] => [
    {
      name: 'instruction_override',
      weight: 0.7,
      needs: dropping,
      pattern: expression(
        `(?<!\\p{L})(?:${drop})(?!\\p{L})[^.!?\\n]{0,30}?(?:(?:${earlier})[^.!?\\n]{0,30}?(?:${rules})|(?:${rules})[^.!?\\n]{0,20}?(?:${earlier}))`,
      ),
    },
    {
      name: 'prompt_extraction',
      weight: 0.65,
      needs: prompting,
      pattern: expression(
        `(?<!\\p{L})(?:${show})[^.!?\\n]{0,30}?(?:${prompt})|(?:${prompt})[^.!?\\n]{0,30}?(?:${show})`,
      ),
    },
  ]),
  {
    name: 'role_play',
    weight: 0.6,
    needs: unbinding,
    pattern: expression(
      `(?<!\\p{L})(?:${spokenTo})(?!\\p{L})[^.!?\\n]{0,50}?(?<!\\p{L})(?:${languages.map(({ unbound }) => unbound).join('|')})`,
    ),
  },
  ...others.map(([weight, name, pattern]) => ({ name, weight, pattern, needs: dropping })),
];
