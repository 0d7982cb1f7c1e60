/** The start page: create a workspace, save its keys, send a first check. */

import { CallerText } from '../components/caller-text.tsx';
import { useFirstKeys } from '../state/first-keys.ts';
import { href } from '../state/route.ts';
import { useSession } from '../state/session.ts';
import { FirstCheck } from './start-parts/first-check.tsx';
import { KeysShownOnce } from './start-parts/keys-shown-once.tsx';
import { NewWorkspace } from './start-parts/new-workspace.tsx';

export default function Start() {
  const session = useSession();
  const keys = useFirstKeys();
  if (keys !== null) {
    return (
      <div class="page">
        <h1>
          <CallerText text={keys.workspace.name} />
        </h1>
        <KeysShownOnce keys={keys} />
        <FirstCheck developmentKey={keys.developmentKey} />
      </div>
    );
  }
  return (
    <div class="page">
      <div class="lead">
        <h1>Ask before an agent writes</h1>
        <p class="quiet">
          An agent describes the write it plans and the evidence it has. Writecheck allows, pauses or blocks
          it and records why. It never writes itself.
        </p>
      </div>
      {session !== null && (
        <section class="card" aria-labelledby="signed-in">
          <h2 id="signed-in">
            Signed in to <CallerText text={session.workspace.name} />
          </h2>
          <p class="quiet">
            Workspace <code>{session.workspace.id}</code>
          </p>
          <ul class="ways">
            {WAYS.map(({ path, name, what }) => (
              <li key={path}>
                <a href={href(path)}>{name}</a> <span class="quiet">{what}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <NewWorkspace isAnother={session !== null} />
    </div>
  );
}

const WAYS = [
  { path: '/playground', name: 'Try a write', what: 'and see what it needs' },
  { path: '/reviews', name: 'Review writes', what: 'approve or reject what agents ask for' },
  { path: '/waiting', name: 'See paused writes', what: 'oldest first' },
  { path: '/decisions', name: 'Find a decision', what: 'by object, run, workflow or reason' },
  { path: '/policies', name: 'Edit policies', what: 'which write needs which control' },
  { path: '/keys', name: 'Manage keys', what: 'create, rotate and revoke' },
] as const;
