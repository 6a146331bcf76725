import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { Search } from './shell/address.ts';
import { Frame } from './shell/frame/frame.tsx';
import { NotFound, PageFailure } from './shell/frame/page-failure.tsx';
import type { PageEntry } from './shell/page-entry.ts';
import { pages } from './shell/pages.ts';
import { Start } from './shell/start.tsx';

const texts = (search: Record<string, unknown>): Search =>
  Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)]));

const root = createRootRoute({ component: Outlet, validateSearch: texts, notFoundComponent: NotFound });

const start = createRoute({ getParentRoute: () => root, path: '/', component: Start });

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: lazyRouteComponent(() => import('./pages/welcome/page.tsx'), 'default'),
});

const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite',
  component: lazyRouteComponent(() => import('./pages/invite/page.tsx'), 'default'),
});

const workspace = createRoute({ getParentRoute: () => root, path: '/$workspace', component: Frame });

const workspaceStart = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: `/${params.workspace}/${pages[0]?.path}` } as never);
  },
});

/** A list of its own, and one of its things below it. */
function routesOf({ path, load, hasDetail }: PageEntry) {
  const list = createRoute({
    getParentRoute: () => workspace,
    path: `/${path}`,
    component: lazyRouteComponent(load, 'default'),
    errorComponent: PageFailure,
  });
  if (!hasDetail) return [list];
  const Detail = lazy(async () => {
    const { Detail: own } = await load();
    if (!own) throw new Error(`The page ${path} exports no Detail.`);
    return { default: own };
  });
  const detail = createRoute({
    getParentRoute: () => workspace,
    path: `/${path}/$id`,
    component: function DetailPage() {
      const { id } = detail.useParams() as { id: string };
      return (
        <Suspense>
          <Detail key={id} id={id} />
        </Suspense>
      );
    },
    errorComponent: PageFailure,
  });
  return [list, detail];
}

/** `/console`, or what PUBLIC_URL has before it: the server writes it into the page. */
const basepath = new URL(document.baseURI).pathname.replace(/\/$/, '');

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    welcome,
    invite,
    workspace.addChildren([workspaceStart, ...pages.flatMap(routesOf)] as AnyRoute[]),
  ] as AnyRoute[]),
  basepath,
  defaultPreload: 'intent',
  scrollRestoration: true,
  // What is scrolled is the content, and never the window.
  scrollToTopSelectors: ['#content'],
  // Values are texts, so that an address reads as people would write it.
  parseSearch: (query) => Object.fromEntries(new URLSearchParams(query)),
  stringifySearch: (search) => {
    const query = new URLSearchParams(search as Search).toString();
    return query ? `?${query}` : '';
  },
});
