import { digits, letters, type Random } from '../random.ts';

const upper = letters.toUpperCase();
const word = letters + upper + digits;
const hex = `${digits}abcdef`;

type Make = (random: Random) => string;

const after =
  (prefix: string, alphabet: string, length: number): Make =>
  (random) =>
    prefix + random.text(alphabet, length);

/** Secrets, put together here so that no scanner finds one in this file. */
export const madeUp: Readonly<Record<string, Make>> = {
  aws_access_key_id: after('AK' + 'IA', `${upper}234567`, 16),
  aws_secret_access_key: (random) =>
    `AWS_SECRET_ACCESS_KEY=${random.text(`${word}/+`, 39)}${random.text(word, 1)}`,
  github_token: after('gh' + 'p_', word, 36),
  github_fine_grained_token: (random) =>
    `${'github' + '_pat_'}${random.text(word, 22)}_${random.text(word, 59)}`,
  gitlab_token: after('gl' + 'pat-', word, 20),
  slack_token: (random) =>
    `${'xo' + 'xb-'}${random.text(digits, 12)}-${random.text(digits, 12)}-${random.text(word, 24)}`,
  slack_webhook: (random) =>
    `https://hooks.${'slack'}.com/services/T${random.text(upper, 8)}/B${random.text(upper, 8)}/${random.text(word, 24)}`,
  stripe_key: after('sk' + '_live_', word, 24),
  anthropic_key: after('sk-' + 'ant-api03-', `${word}_-`, 93),
  openai_key: after('sk-' + 'proj-', word, 48),
  google_api_key: after('AI' + 'za', word, 35),
  npm_token: after('np' + 'm_', word, 36),
  pypi_token: after('pypi-' + 'AgE', word, 80),
  sendgrid_key: (random) => `${'S' + 'G'}.${random.text(word, 22)}.${random.text(word, 43)}`,
  twilio_key: after('S' + 'K', hex, 32),
  telegram_token: (random) => `${random.text('123456789', 9)}:${'A' + 'A'}${random.text(word, 33)}`,
  shopify_token: after('shp' + 'at_', hex, 32),
  digitalocean_token: after('do' + 'p_v1_', hex, 64),
  databricks_token: after('da' + 'pi', hex, 32),
  hugging_face_token: after('h' + 'f_', word, 34),
  groq_key: after('gs' + 'k_', word, 52),
  vault_token: after('hv' + 's.', word, 30),
  new_relic_key: after('NR' + 'AK-', upper + digits, 27),
  json_web_token: (random) =>
    `${'ey' + 'J'}${random.text(word, 30)}.${'ey' + 'J'}${random.text(word, 80)}.${random.text(word, 43)}`,
  azure_storage_key: (random) => `AccountKey=${random.text(word, 86)}==`,
  authorization_header: (random) => `Authorization: Bearer ${random.text(word, 40)}`,
  supabase_token: after('sb' + 'p_', hex, 40),
  notion_token: after('nt' + 'n_', word, 46),
  figma_token: after('fi' + 'gd_', word, 40),
  terraform_token: (random) => `${random.text(word, 14)}.${'atlas' + 'v1'}.${random.text(word, 64)}`,
  discord_token: (random) =>
    `${'M' + 'T'}${random.text(word, 22)}.${random.text(word, 6)}.${random.text(word, 38)}`,
  azure_sas_signature: (random) =>
    `https://a.blob.core.windows.net/c?sv=2022-11-02&${'s' + 'ig'}=${random.text(word, 43)}%3D`,
  curl_password: (random) => `curl -s -u admin:${random.text(word, 14)} https://api.example`,
  password_in_url: (random) => `postgres://admin:${random.text(word, 14)}@db.internal:5432/app`,
  named_secret: (random) =>
    `${random.pick(['password', 'api_key', 'client_secret', 'token', 'apiKey', 'Passwort', 'mot de passe'])}${random.pick([': ', ' = ', '="', ' is ', '\\": \\"'])}${random.text(letters, 5)}${random.text(word, 12)}${random.text(digits, 2)}`,
  private_key: (random) =>
    [
      `-----BEGIN ${random.pick(['RSA ', 'EC ', 'OPENSSH ', ''])}${'PRIVATE'} KEY-----`,
      ...Array.from({ length: 6 }, () => random.text(`${word}+/`, 64)),
      `-----END ${'PRIVATE'} KEY-----`,
    ].join('\n'),
};
