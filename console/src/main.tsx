import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './router.tsx';
import { App, queries } from './shell/app.tsx';
import { loadAnew } from './shell/load-anew.ts';
import { keepBegun } from './shell/session/begun.ts';
import './styles/index.css';

// A tab asks for a part of the release that it was loaded from.
addEventListener('vite:preloadError', (event) => {
  if (loadAnew()) event.preventDefault();
});

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id "root".');
const view = createRoot(root);

/** Milliseconds after which the page is drawn with what is there. */
const PATIENCE = 3000;
const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE));

// A page whose parts are all there is drawn at once, and in slices, so that the browser answers meanwhile. What fails says so
// where it is drawn. Pages import parts of this module, which a wait at its top level would keep from them.
void Promise.race([Promise.allSettled([keepBegun(queries), router.load()]), patience]).then(() =>
  startTransition(() =>
    view.render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  ),
);
