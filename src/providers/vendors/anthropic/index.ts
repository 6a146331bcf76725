import { authorize } from '../../credentials/anthropic.ts';
import { endpointsOf } from '../../endpoint.ts';
import { claudeApi } from '../../kinds/claude/native-api.ts';
import { settings } from '../../kinds/claude/settings.ts';
import { lazyDialects } from '../../kinds/lazy-dialects.ts';
import type { Provider } from '../../provider.ts';

/** Claude by its maker: messages as they are, chat and text completions through Anthropic's format. */
export const anthropic: Provider = {
  id: 'anthropic',
  baseUrl: 'https://api.anthropic.com/v1',
  settings,
  endpoints: endpointsOf('messages'),
  priceName: 'anthropic',
  nativeApi: claudeApi,
  streamUsage: true,
  dialects: lazyDialects(['chatComplete', 'complete', 'models'], () => import('./dialects.ts')),
  callerHeaders: ['anthropic-beta', 'anthropic-version', 'x-api-key'],
  // Clients of Anthropic's own API put its version path in front.
  pathOf: ({ path }) => (path.startsWith('/v1/') ? path.slice('/v1'.length) : path),
  authorize,
};
