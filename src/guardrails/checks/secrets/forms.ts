import { runFinder } from '../../../lib/character-run.ts';

/** A quick look at a text. */
export type SecretHint = (text: string) => boolean;

/** A form of secrets. Quantifiers have bounds and begin after a fixed text, so that every match is found in linear time. */
export type SecretForm = {
  readonly name: string;
  readonly pattern: RegExp;
  /** Whether a find is a secret, where its form alone leaves that open. */
  readonly isSecret?: (value: string) => boolean;
  /** What a text has that holds one; looking for it alone takes less time. */
  readonly hint?: SecretHint;
};

/** Tokens that begin with a text of their issuer: name, beginning, and what follows it. */
const prefixed: readonly (readonly [name: string, pattern: string])[] = [
  ['aws_access_key_id', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}'],
  ['github_token', 'gh[pousr]_[A-Za-z0-9]{36,255}'],
  ['github_fine_grained_token', 'github_pat_[A-Za-z0-9_]{36,255}'],
  ['gitlab_token', 'gl(?:pat|dt|rt|ft|soat|cbt|oas)-[A-Za-z0-9_.-]{20,64}'],
  ['slack_token', 'xox[abceoprs]-[A-Za-z0-9-]{10,250}'],
  ['slack_app_token', 'xapp-\\d-[A-Za-z0-9-]{20,250}'],
  ['slack_webhook', 'https:\\/\\/hooks\\.slack\\.com\\/(?:services|workflows)\\/[A-Za-z0-9+/]{30,80}'],
  ['discord_webhook', 'https:\\/\\/discord(?:app)?\\.com\\/api\\/webhooks\\/\\d{17,20}\\/[\\w-]{60,80}'],
  ['stripe_key', '[srp]k_(?:live|test)_[A-Za-z0-9]{16,250}'],
  ['stripe_webhook_secret', 'whsec_[A-Za-z0-9+/=]{24,100}'],
  ['anthropic_key', 'sk-ant-[a-z0-9]{3,12}-[\\w-]{24,200}'],
  ['openai_key', 'sk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,250}'],
  ['google_api_key', 'AIza[\\w-]{35}'],
  ['google_oauth_secret', 'GOCSPX-[\\w-]{28}'],
  ['google_oauth_token', 'ya29\\.[\\w-]{20,250}'],
  ['npm_token', 'npm_[A-Za-z0-9]{36}'],
  ['pypi_token', 'pypi-AgE[\\w-]{50,250}'],
  ['rubygems_key', 'rubygems_[a-f0-9]{48}'],
  ['docker_token', 'dckr_pat_[\\w-]{27}'],
  ['sendgrid_key', 'SG\\.[\\w-]{22}\\.[\\w-]{43}'],
  ['mailgun_key', 'key-[0-9a-f]{32}'],
  ['mailchimp_key', '[0-9a-f]{32}-us\\d{1,2}'],
  ['twilio_key', '(?:SK|AC)[0-9a-f]{32}'],
  ['telegram_token', '\\d{8,10}:AA[\\w-]{33}'],
  ['shopify_token', 'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}'],
  ['square_token', '(?:EAAA[\\w-]{60}|sq0[a-z]{3}-[\\w-]{22,43})'],
  ['digitalocean_token', 'do[opr]_v1_[a-f0-9]{64}'],
  ['databricks_token', 'dapi[a-f0-9]{32}(?:-\\d)?'],
  ['hugging_face_token', 'hf_[A-Za-z0-9]{34,40}'],
  ['groq_key', 'gsk_[A-Za-z0-9]{52}'],
  ['xai_key', 'xai-[A-Za-z0-9]{80}'],
  ['replicate_token', 'r8_[A-Za-z0-9]{37,40}'],
  ['perplexity_key', 'pplx-[A-Za-z0-9]{48,56}'],
  ['vault_token', 'hv[sbr]\\.[\\w-]{24,200}'],
  ['linear_key', 'lin_(?:api|oauth)_[A-Za-z0-9]{32,64}'],
  ['grafana_token', 'gl(?:sa|c)_[A-Za-z0-9_=+/]{32,200}'],
  ['sentry_token', 'sntry[su]_[A-Za-z0-9_=+/-]{32,250}'],
  ['doppler_token', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.[\\w.-]{40,80}'],
  ['new_relic_key', 'NRAK-[A-Z0-9]{27}'],
  ['atlassian_token', 'ATATT3[\\w=-]{60,250}'],
  ['age_secret_key', 'AGE-SECRET-KEY-1[A-Z0-9]{58}'],
  ['supabase_token', 'sbp_[a-f0-9]{40}'],
  ['notion_token', '(?:ntn_|secret_)[A-Za-z0-9]{43,50}'],
  ['figma_token', 'figd_[\\w-]{40,60}'],
  ['terraform_token', '[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,80}'],
  ['discord_token', '[MNO][\\w-]{23,28}\\.[\\w-]{6}\\.[\\w-]{27,45}'],
  ['json_web_token', 'eyJ[\\w-]{10,2000}\\.eyJ[\\w-]{10,4000}(?:\\.[\\w-]{0,1400})?'],
];

/** Every prefixed token is one run of such characters, and none is shorter: most texts have no such run. */
const tokenRun = runFinder((character) => /[\w.:/+=-]/.test(character), 15);

const alone = (pattern: string) => new RegExp(`(?<![A-Za-z0-9_])${pattern}(?![A-Za-z0-9])`, 'g');

/** A backslash ends a value that stands in JSON within JSON. */
const value = '[^\\s"\'`,;<>(){}\\\\]';

/** Secrets that are told by what stands around them. */
const named: readonly SecretForm[] = [
  {
    name: 'aws_secret_access_key',
    pattern:
      /aws.{0,20}?(?:secret|key).{0,20}?[=:]\s{0,3}["']?(?<value>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/gi,
    hint: tokenRun,
  },
  {
    name: 'azure_storage_key',
    pattern: /(?:AccountKey|SharedAccessKey)=(?<value>[A-Za-z0-9+/]{40,88}={0,2})/g,
    hint: tokenRun,
  },
  {
    name: 'authorization_header',
    pattern:
      /\b(?:authorization["']?\s{0,2}[:=]\s{0,2}["']?(?:bearer|basic|token))\s{1,2}(?<value>[\w.~+/=-]{16,2000})/gi,
  },
  {
    name: 'password_in_url',
    pattern: /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,64}:(?<value>[^\s/@]{3,128})@[\w.-]/gi,
    hint: (text) => text.includes('://'),
    isSecret: (found) => !isPlaceholder(found),
  },
  {
    name: 'azure_sas_signature',
    pattern: /[?&]sig=(?<value>[A-Za-z0-9%+/]{40,90}={0,2})/g,
    hint: tokenRun,
  },
  {
    name: 'curl_password',
    pattern: /\bcurl\b[^\n]{0,200}?\s(?:-u|--user)[ =]{1,2}["']?[^\s:"']{1,64}:(?<value>[^\s"']{3,128})/g,
    hint: (text) => text.includes('curl'),
    isSecret: (found) => !isPlaceholder(found),
  },
  {
    name: 'named_secret',
    pattern: new RegExp(
      `(?:api[_ -]?key|secret(?:[_ -]?key)?|access[_ -]?(?:key|token)|auth[_ -]?token|token|passw(?:or)?d|passphrase|pwd|` +
        `credentials?|client[_ -]?secret|private[_ -]?key|passwort|kennwort|mot de passe|contraseña|senha|wachtwoord|hasło|пароль|パスワード|密码)` +
        `\\\\{0,3}["'\`]?\\s{0,3}(?:=>|:=|=|:|：|\\bis\\b)\\s{0,3}\\\\{0,3}["'\`]?(?<value>${value}{8,200})`,
      'gi',
    ),
    isSecret: (found) => isRandom(found) && !isPlaceholder(found),
  },
];

/** What stands where a secret will be. */
const isPlaceholder = (found: string): boolean =>
  /^(?:[*x.•_-]{3,}|\$|%|<|process\.env|os\.environ|env\[)|\$\{|\{\{|(?:your|my)[-_]|example|changeme|placeholder|redacted|dummy/i.test(
    found,
  );

/** The least bits that a character of a random text carries. */
const MIN_ENTROPY = 2.8;

/** Letters and digits in no order that a word or a number has. */
function isRandom(found: string): boolean {
  if (!/\d/.test(found) || !/[A-Za-z]/.test(found)) return false;
  const counts = new Map<string, number>();
  for (const character of found) counts.set(character, (counts.get(character) ?? 0) + 1);
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / found.length) * Math.log2(count / found.length);
  return entropy >= MIN_ENTROPY;
}

/** Forms that may have a space in them. Prefixed tokens have none. */
export const spacedForms: readonly RegExp[] = named.map(({ pattern }) => pattern);

export const secretForms: readonly SecretForm[] = [
  ...prefixed.map(([name, pattern]) => ({ name, pattern: alone(pattern), hint: tokenRun })),
  ...named,
];
