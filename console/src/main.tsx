import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './shell/app.tsx';
import './styles/index.css';

const RELOADED = 'sluice.reloaded';

// A tab asks for a part of the release that it was loaded from. Where a newer one has taken its place, it loads itself anew,
// once: the address holds all that is on the screen.
addEventListener('vite:preloadError', (event) => {
  if (sessionStorage.getItem(RELOADED) === location.href) return;
  sessionStorage.setItem(RELOADED, location.href);
  event.preventDefault();
  location.reload();
});

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id "root".');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
