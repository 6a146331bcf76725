import { createCookie } from '../console/cookie.ts';
import { type Console, type ConsoleOptions, createConsole } from '../console/door.ts';
import { createFlowCookie } from '../console/oidc/flow-cookie.ts';
import { createOidcProvider } from '../console/oidc/provider.ts';
import { createPages } from '../console/static/pages.ts';
import type { Settings } from '../settings/index.ts';
import type { Secrets } from '../storage/secrets.ts';

type Given = Omit<ConsoleOptions, 'cookie' | 'oidc' | 'publicUrl' | 'pages'> & {
  settings: Settings;
  secrets: Secrets;
  now: () => Date;
};

/** The console with the identity provider of the settings; null where it is switched off. */
export function createConsoleDoor({ settings, secrets, now, ...given }: Given): Console | null {
  if (!settings.console.isOn) return null;
  const { publicUrl, consoleOidc } = settings.identity;
  const cookie = createCookie(publicUrl);
  const { directory, log } = given;
  const oidc = consoleOidc && {
    settings: consoleOidc,
    provider: createOidcProvider(consoleOidc, { now, log }),
    flowCookie: createFlowCookie(publicUrl, secrets),
    cookie,
    directory,
  };
  return createConsole({
    ...given,
    cookie,
    oidc,
    publicUrl,
    pages: createPages({ folder: settings.console.directory, publicUrl }),
  });
}
