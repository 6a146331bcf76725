import { settings as claude } from '../../kinds/claude/settings.ts';
import { HOST_PART, type Setting } from '../../setting.ts';

/** The place on Google Cloud, and the account that asks. */
export const settings = {
  vertex_project_id: { pattern: /^[a-z0-9](?:[a-z0-9:.-]{1,98}[a-z0-9])$/ },
  vertex_region: { pattern: HOST_PART },
  vertex_service_account_json: { secret: true, object: true },
  vertex_auth_type: { pattern: /^(?:basic|serviceAccount)$/ },
  anthropic_beta: claude.anthropic_beta,
} satisfies Record<string, Setting>;
