import type { Provider } from '../provider.ts';

/** A provider that speaks OpenAI's dialect: its id, where it is, and bearer authentication. */
export function openAiCompatible(id: string, baseUrl: string | null): Provider {
  return {
    id,
    baseUrl,
    authorize(headers, credential) {
      if (credential.key !== null) headers.authorization = `Bearer ${credential.key}`;
      if (credential.openaiOrganization) headers['openai-organization'] = credential.openaiOrganization;
      if (credential.openaiProject) headers['openai-project'] = credential.openaiProject;
    },
  };
}
