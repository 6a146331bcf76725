// Runs before anything is painted or loaded: takes a secret out of the address bar, and chooses the theme.
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
})();
