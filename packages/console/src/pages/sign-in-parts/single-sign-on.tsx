/** Sign in through the identity provider: this page makes a secret, and only a tab that has it can finish. */
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { keptForTab } from '../../state/kept.ts';
import { lastWorkspace } from '../../state/signed-in-person.ts';
import { useLoad } from '../../use-load.ts';

/** Session storage, which belongs to this tab alone and survives the way to the provider and back. */
const SECRET_AS = 'writecheck.oidc-secret';
const THEN_AS = 'writecheck.oidc-then';

/** What the tab kept while it was away; once. */
export function takeKept(): { readonly secret: string; readonly then: string } | null {
  const secret = keptForTab.get(SECRET_AS);
  const then = keptForTab.get(THEN_AS) ?? '/';
  keptForTab.set(SECRET_AS, null);
  keptForTab.set(THEN_AS, null);
  return secret === null ? null : { secret, then };
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

async function leave(workspace: string, then: string): Promise<void> {
  const secret = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret));
  keptForTab.set(SECRET_AS, secret);
  keptForTab.set(THEN_AS, then);
  const url = new URL('v1/sessions/oidc/start', document.baseURI);
  url.searchParams.set('workspace', workspace);
  url.searchParams.set('challenge', base64url(new Uint8Array(digest)));
  window.location.assign(url);
}

export function SingleSignOn({ then }: { readonly then: string | null }) {
  const [workspace, setWorkspace] = useState(lastWorkspace);
  const { value } = useLoad('sign-in ways', (signal) =>
    call('GET /v1/sessions/ways', {
      key: null,
      signal,
      has: { ways: 'array' },
    }),
  );
  // WebCrypto exists only in secure contexts.
  if (!window.isSecureContext || !value?.ways.includes('oidc')) return null;
  const submit = (event: Event) => {
    event.preventDefault();
    void leave(workspace.trim(), then ?? '/');
  };
  return (
    <form onSubmit={submit}>
      <label>
        Workspace ID
        <input
          name="workspace"
          required
          spellcheck={false}
          autocomplete="off"
          placeholder="ws_…"
          value={workspace}
          onInput={(event) => setWorkspace(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Continue with single sign-on</button>
    </form>
  );
}
