import type { NativeApi } from '../../provider.ts';

/** Of Anthropic's API beside its messages: the text completions that came before them. */
export const claudeApi: NativeApi = { cacheablePaths: [/^\/complete$/] };
