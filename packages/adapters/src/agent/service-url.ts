/** The service that a command talks to. */
import { CommandFailure } from '@writecheck/contract/command';

export const DEFAULT_URL = 'http://127.0.0.1:8080';

export function serviceUrl(asked: string | undefined, exitCode = 1): string {
  const url = asked ?? process.env.WRITECHECK_URL ?? DEFAULT_URL;
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol === 'http:' || protocol === 'https:') return url;
  throw new CommandFailure(
    `\`${url}\` is not the URL of a service; use a URL like \`${DEFAULT_URL}\` in --url or WRITECHECK_URL`,
    exitCode,
  );
}
