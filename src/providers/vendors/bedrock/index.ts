import { regionOf } from '../../credentials/aws/authorize.ts';
import { awsSettings } from '../../credentials/aws/settings.ts';
import { endpointsOf } from '../../endpoint.ts';
import { settings as claude } from '../../kinds/claude/settings.ts';
import { lazyDialects } from '../../kinds/lazy-dialects.ts';
import type { Provider } from '../../provider.ts';
import { authorize } from './authorize.ts';
import { isClaude } from './models.ts';

/** Models on Amazon Bedrock: chat through its Converse API, embeddings and images through each family's own format. */
export const bedrock: Provider = {
  id: 'bedrock',
  baseUrl: (chosen) => {
    const region = regionOf(chosen);
    return awsSettings.aws_region.pattern.test(region)
      ? `https://bedrock-runtime.${region}.amazonaws.com`
      : null;
  },
  settings: { ...awsSettings, anthropic_beta: claude.anthropic_beta },
  sufficientSettings: [['aws_access_key_id', 'aws_secret_access_key']],
  endpoints: endpointsOf(),
  priceName: 'aws',
  nativeApi: {
    modelPaths: [/\/model\/([^/?]+)\/(?:converse|invoke)/],
    cacheablePaths: [/^\/model\/[^/]+\/(?:converse|invoke|count-tokens)$/],
  },
  streamUsage: true,
  dialects: lazyDialects(
    ['chatComplete', 'complete', 'embed', 'imageGenerate', 'messages', 'models'],
    () => import('./dialects.ts'),
  ),
  // Files, batches and fine-tuning have formats of their own there.
  lacks: (endpoint, model) => endpoint === 'messages' && !isClaude(model),
  callerHeaders: ['anthropic-beta'],
  authorize,
};
