/** Signing in as a person: the token of the session takes the place of the owner key in this tab. */
import type { Me, SignedIn } from '@writecheck/api';
import { call, type Reply } from '../api.ts';
import { keptForever } from './kept.ts';
import { go } from './route.ts';
import { session, signIn } from './session.ts';

const SESSION_PREFIX = 'wck_ses_';

/** Remembered for single sign-on, which needs to name it. No secret. */
const WORKSPACE_AS = 'writecheck.workspace';

export function lastWorkspace(): string {
  return keptForever.get(WORKSPACE_AS) ?? '';
}

/** Where the tab goes next: the page that asked for the sign-in, unless that was the sign-in itself. */
export async function enter({ session: { token } }: SignedIn, then: string | null): Promise<Reply<Me>> {
  const me = await call('GET /v1/me', { key: token });
  if (me.kind === 'failure') return me;
  const { person, workspace } = me.value;
  signIn(person === null ? { secret: token, workspace } : { secret: token, workspace, person });
  keptForever.set(WORKSPACE_AS, workspace.id);
  if (then !== null) go(then);
  return me;
}

/** Signing out of the tab ends the session itself, which an owner key does not have. */
let before = session.get()?.secret ?? null;
session.subscribe(() => {
  const now = session.get()?.secret ?? null;
  if (before?.startsWith(SESSION_PREFIX) && now !== before) {
    void call('DELETE /v1/sessions/current', { key: before });
  }
  before = now;
});
