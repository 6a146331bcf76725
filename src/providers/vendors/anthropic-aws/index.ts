import { regionOf } from '../../credentials/aws/authorize.ts';
import { awsSettings } from '../../credentials/aws/settings.ts';
import { endpointsOf } from '../../endpoint.ts';
import { claudeApi } from '../../kinds/claude/native-api.ts';
import { settings as claude } from '../../kinds/claude/settings.ts';
import { lazyDialects } from '../../kinds/lazy-dialects.ts';
import type { Provider } from '../../provider.ts';
import { PATH_PART } from '../../setting.ts';
import { authorize } from './authorize.ts';

/** Claude Platform on AWS: Anthropic's own API with AWS's accounts. */
export const anthropicAws: Provider = {
  id: 'anthropic-aws',
  baseUrl: (settings) => `https://aws-external-anthropic.${regionOf(settings)}.api.aws/v1`,
  settings: { ...awsSettings, ...claude, anthropic_aws_workspace_id: { pattern: PATH_PART } },
  sufficientSettings: [['aws_access_key_id', 'aws_secret_access_key']],
  // Files and batches have a format of their own there.
  endpoints: endpointsOf('messages'),
  nativeApi: claudeApi,
  dialects: lazyDialects(['chatComplete', 'complete', 'models'], () => import('./dialects.ts')),
  callerHeaders: ['anthropic-beta', 'anthropic-version'],
  pathOf: ({ path }) => (path.startsWith('/v1/') ? path.slice('/v1'.length) : path),
  authorize,
};
