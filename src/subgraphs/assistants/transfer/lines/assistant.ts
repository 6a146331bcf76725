import { z } from 'zod';
import type { JsonObject } from '../../../../lib/json.ts';
import { type AssistantDocument, assistantModel, keepVersion } from '../../assistant/index.ts';
import {
  MOST_TOOLS,
  metadataOf,
  namedToolResourcesOf,
  parsed,
  responseFormatOf,
  toolsOf,
} from '../../members/index.ts';
import { anyJson, id, seconds } from './common.ts';
import { isStored, type Scene } from './scene.ts';

const schema = z.object({
  id,
  created_at: seconds,
  name: z.string().max(256).nullish(),
  description: z.string().max(512).nullish(),
  model: z.string().min(1).max(512),
  instructions: z.string().max(256_000).nullish(),
  tools: anyJson,
  tool_resources: anyJson,
  metadata: anyJson,
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  response_format: anyJson,
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
});

/** Files and vector stores that it names may come later, or never: each run looks for them. */
export async function takeAssistant(scene: Scene, value: JsonObject): Promise<boolean> {
  const { context, owner, clock } = scene;
  const line = parsed(schema, value, '');
  const createdAt = clock.timeOf(value);
  const assistant: AssistantDocument = {
    _id: line.id,
    ...owner,
    name: line.name ?? null,
    description: line.description ?? null,
    model: line.model,
    instructions: line.instructions ?? null,
    tools: toolsOf(line.tools, 'tools', MOST_TOOLS.assistant),
    toolResources: namedToolResourcesOf(line.tool_resources, 'tool_resources'),
    metadata: metadataOf(line.metadata, 'metadata'),
    temperature: line.temperature ?? null,
    topP: line.top_p ?? null,
    responseFormat: responseFormatOf(line.response_format, 'response_format'),
    reasoningEffort: line.reasoning_effort ?? null,
    version: 1,
    createdAt,
    lastUpdatedAt: createdAt,
  };
  const assistants = assistantModel(context.db);
  const isNew = await isStored(
    () => assistants.collection.insertOne(assistant as never),
    () => assistants.exists({ _id: line.id, ...owner }),
    { id: line.id, prefix: 'asst_' },
  );
  // Also where it is there: a process may have died between the two.
  await keepVersion(context, assistant);
  return isNew;
}
