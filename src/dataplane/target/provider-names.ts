import { knownNames } from '../call/routes.ts';

/** Words with which paths at model providers begin, beside those that the data plane knows itself. */
const others = [
  // OpenAI, and those who speak its format
  ...['assistants', 'threads', 'vector_stores', 'uploads', 'containers', 'conversations', 'evals', 'videos'],
  ...['organization', 'organizations', 'projects', 'usage', 'dashboard', 'engines', 'edits', 'fine-tunes'],
  ...[
    'chatkit',
    'skills',
    'openai',
    'anthropic',
    'api',
    'fim',
    'agents',
    'libraries',
    'credits',
    'keys',
    'key',
  ],
  // Anthropic, Google, AWS, Azure, Oracle, Snowflake, Databricks, Cloudflare
  ...['complete', 'tunedModels', 'cachedContents', 'corpora', 'operations', 'locations', 'publishers'],
  ...[
    'model',
    'async-invoke',
    'endpoints',
    'serving-endpoints',
    'inference',
    'actions',
    'cortex',
    'accounts',
  ],
  ...['ai', 'run', 'score', 'info', 'health', 'foundation-models', 'knowledgebases', 'inference-profiles'],
  // Texts, vectors of texts and rankings
  ...['embed', 'embed-jobs', 'embedding', 'classify', 'datasets', 'connectors', 'tokenize', 'detokenize'],
  ...[
    'summarize',
    'finetuning',
    'check-api-key',
    'generate',
    'segment',
    'contextualizedembeddings',
    'search',
  ],
  // Vector databases
  ...['collections', 'cluster', 'aliases', 'snapshots', 'telemetry', 'vectordb', 'indexes', 'vectors'],
  // Pictures, films, sound and things in three dimensions
  ...['predictions', 'trainings', 'hardware', 'account', 'webhooks', 'generation', 'generations', 'sdxl'],
  ...['stable-image', 'image', 'video', 'queue', 'storage', 'task', 'tasks', 'upload', 'jobs', 'assets'],
  ...[
    'text-to-3d',
    'image-to-3d',
    'text-to-texture',
    'text-to-speech',
    'speech-to-text',
    'voices',
    'rigging',
  ],
  ...['animations', 'balance', 'workflows', 'listen', 'speak', 'read', 'music', 'sound-generation'],
];

/**
 * First segments of paths at providers, in lower case. Such a path is passed on however much it looks like a name of the
 * administration.
 */
export const providerNames: ReadonlySet<string> = new Set(
  [...knownNames, ...others].map((name) => name.toLowerCase()),
);
