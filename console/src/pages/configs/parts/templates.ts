/** Configs to begin with; each runs on the mock. */
export const templates = [
  {
    name: 'Fallback',
    about: 'The next target, when one fails.',
    config: {
      strategy: { mode: 'fallback' },
      targets: [
        { provider: '@mock', override_params: { model: 'mock-error-503' } },
        { provider: '@mock', override_params: { model: 'mock-1' } },
      ],
    },
  },
  {
    name: 'Balance',
    about: 'Calls are spread by weight.',
    config: {
      strategy: { mode: 'loadbalance' },
      targets: [
        { provider: '@mock', override_params: { model: 'mock-1' }, weight: 0.7 },
        { provider: '@mock', override_params: { model: 'mock-slow-50' }, weight: 0.3 },
      ],
    },
  },
  {
    name: 'By metadata',
    about: 'Where a call goes depends on what it says of itself.',
    config: {
      strategy: {
        mode: 'conditional',
        // biome-ignore lint/suspicious/noThenProperty: a config names the target of a condition so.
        conditions: [{ query: { 'metadata.team': { $eq: 'search' } }, then: 'search' }],
        default: 'others',
      },
      targets: [
        { name: 'search', provider: '@mock', override_params: { model: 'mock-1' } },
        { name: 'others', provider: '@mock', override_params: { model: 'mock-slow-50' } },
      ],
    },
  },
  {
    name: 'Cached',
    about: 'The same question is answered once an hour.',
    config: {
      cache: { mode: 'simple', max_age: 3600 },
      provider: '@mock',
      override_params: { model: 'mock-1' },
    },
  },
];
