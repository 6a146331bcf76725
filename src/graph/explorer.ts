import { getDistDirectory, isSandboxFrame, renderAltair, SANDBOX_FRAME_CSP } from 'altair-static';
import express, { Router } from 'express';

/** A GraphQL client for the browser at `path`, with all its files served from here: it works without the internet. */
export function explorer(path: string, endpointURL: string): Router {
  const router = Router();
  const page = renderAltair({ baseURL: `${path}/`, endpointURL });
  router.get(path, (_request, response) => void response.type('html').send(page));
  router.use(
    path,
    express.static(getDistDirectory(), {
      index: false,
      redirect: false,
      setHeaders: (response, file) => {
        if (isSandboxFrame(file)) response.setHeader('content-security-policy', SANDBOX_FRAME_CSP);
      },
    }),
  );
  return router;
}
