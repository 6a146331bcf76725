// Runs before anything is painted or loaded: takes a secret out of the address bar, chooses the theme, and asks for what the page
// needs first while the scripts are on their way.
(() => {
  if (/^#sl-/.test(location.hash)) {
    window.sluiceSecret = location.hash.slice(1);
    history.replaceState(null, '', location.pathname + location.search);
  }
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const choose = () => {
    let chosen = null;
    try {
      chosen = localStorage.getItem('sluice.theme');
    } catch {
      // A browser that keeps nothing follows the system.
    }
    const isDark = chosen === 'dark' || (chosen !== 'light' && dark.matches);
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
  };
  choose();
  dark.addEventListener('change', choose);
  addEventListener('sluice-theme', choose);

  const { viewer, scripts } = document.currentScript.dataset;
  const below = location.pathname.slice(new URL(document.baseURI).pathname.length);
  const [slug, page = 'home'] = below.split('/');
  const isAlone = slug === 'welcome' || slug === 'invite';
  for (const name of JSON.parse(scripts ?? '{}')[isAlone ? slug : page] ?? []) {
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.href = name;
    document.head.append(link);
  }
  // A secret may sign in somebody else.
  if (!viewer || isAlone || window.sluiceSecret) return;
  const workspace = slug === '' || slug === '_' ? null : slug;
  window.sluiceViewer = {
    workspace,
    response: fetch('graphql', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(workspace && { 'x-gateway-workspace-id': workspace }),
      },
      body: JSON.stringify({
        operationName: 'Viewer',
        variables: {},
        extensions: { persistedQuery: { version: 1, sha256Hash: viewer } },
      }),
    }),
  };
  // Whoever takes it sees the failure.
  window.sluiceViewer.response.catch(() => {});
})();
