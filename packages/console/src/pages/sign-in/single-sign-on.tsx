/** Sign in through the identity provider: this page makes a secret, and only a tab that has it can finish. */
import { encodeBase64Url } from '@writecheck/ledger';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { TextField } from '../../components/field.tsx';
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

/** INVARIANT: leaves only if the tab will still have its secret on the way back; without it nobody can finish. */
async function leave(workspace: string, then: string): Promise<'left' | 'no_storage'> {
  const secret = encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret));
  if (keptForTab.set(SECRET_AS, secret) === 'unsaved') {
    keptForTab.set(SECRET_AS, null);
    return 'no_storage';
  }
  keptForTab.set(THEN_AS, then);
  const url = new URL('v1/sessions/oidc/start', document.baseURI);
  url.searchParams.set('workspace', workspace);
  url.searchParams.set('challenge', encodeBase64Url(new Uint8Array(digest)));
  window.location.assign(url);
  return 'left';
}

export function SingleSignOn({ then }: { readonly then: string | null }) {
  const [workspace, setWorkspace] = useState(lastWorkspace);
  const [isBlocked, setIsBlocked] = useState(false);
  const { value } = useLoad('sign-in ways', (signal) => call('GET /v1/sessions/ways', { key: null, signal }));
  // WebCrypto exists only in secure contexts.
  if (!window.isSecureContext || !value?.ways.includes('oidc')) return null;
  const submit = async (event: Event) => {
    event.preventDefault();
    setIsBlocked((await leave(workspace.trim(), then ?? '/')) === 'no_storage');
  };
  return (
    <form onSubmit={submit}>
      <TextField
        label="Workspace ID"
        name="workspace"
        required
        spellcheck={false}
        autocomplete="off"
        placeholder="ws_…"
        value={workspace}
        onInput={setWorkspace}
      />
      <button type="submit">Continue with single sign-on</button>
      {isBlocked && (
        <p class="note note-bad" role="alert">
          <strong>Your browser blocks storage for this page.</strong> Single sign-on needs it to return to
          this tab. Allow site data for this address, then try again.
        </p>
      )}
    </form>
  );
}
