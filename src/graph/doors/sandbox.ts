import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import { pageHeaders } from '../../lib/http/page-headers.ts';

const apollo = 'https://apollo-server-landing-page.cdn.apollographql.com';
const sandbox = 'https://embeddable-sandbox.cdn.apollographql.com';

/**
 * What browsers see at `/graphql`. Apollo Sandbox runs scripts from Apollo's CDN, which could read what the explorer keeps
 * in this origin, so that production shows it only when asked to. Its page has a policy of its own with a nonce for inline scripts;
 * both policies hold together.
 */
export const sandboxHeaders = pageHeaders([
  "default-src 'none'",
  `script-src 'unsafe-inline' ${sandbox}`,
  `style-src 'unsafe-inline' ${apollo} ${sandbox} https://fonts.googleapis.com`,
  'font-src https://fonts.gstatic.com',
  `img-src ${apollo}`,
  `manifest-src ${apollo}`,
  // The page sends operations to this service alone; Apollo's own page is in the frame.
  "connect-src 'self'",
  'frame-src https://sandbox.embed.apollographql.com',
  "base-uri 'none'",
]);

const plainPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Sluice graph</title>
<p>This is the address of the GraphQL API. There is an <a href="explorer">explorer</a> for it, and a
<a href="reference">reference</a> of the REST API.</p>
</html>
`;

export const landingPage = (isSandboxShown: boolean): ApolloServerPlugin =>
  isSandboxShown
    ? ApolloServerPluginLandingPageLocalDefault({ includeCookies: false, embed: { runTelemetry: false } })
    : {
        async serverWillStart() {
          return { renderLandingPage: async () => ({ html: plainPage }) };
        },
      };
