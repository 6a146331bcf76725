import { HEADER_VALUE, HOST_PART, PATH_PART, type Setting } from '../../setting.ts';

/** How Azure is told who asks, where no key does. */
export const identitySettings = {
  azure_auth_mode: { pattern: /^(?:default|entra|entraFederated|managed|workload)$/ },
  azure_ad_token: { secret: true, pattern: HEADER_VALUE },
  azure_entra_tenant_id: { pattern: HOST_PART },
  azure_entra_client_id: { pattern: PATH_PART },
  azure_entra_client_secret: { secret: true },
  azure_managed_client_id: { pattern: PATH_PART },
  azure_workload_tenant_id: { pattern: HOST_PART },
  azure_workload_client_id: { pattern: PATH_PART },
  azure_entra_scope: { pattern: /^https:\/\/[\w.-]{1,255}\/\.default$/ },
} satisfies Record<string, Setting>;

/** `2024-10-21`, `2025-04-01-preview`, or a name such as `v1`. */
export const API_VERSION = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** Such as `gpt-4o-mini`. */
export const MODEL_NAME = /^[\w.:/-]{1,255}$/;
