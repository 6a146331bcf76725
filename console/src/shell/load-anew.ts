const RELOADED = 'sluice.reloaded';

/**
 * Loads the page anew, where a newer release has taken the place of the one that the tab came from: the address holds all that is on
 * the screen. Once for each address; false where that was tried.
 */
export function loadAnew(): boolean {
  if (sessionStorage.getItem(RELOADED) === location.href) return false;
  sessionStorage.setItem(RELOADED, location.href);
  location.reload();
  return true;
}
