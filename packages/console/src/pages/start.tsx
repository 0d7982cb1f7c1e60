/** Where one begins: a workspace, its two keys, and a first check made from this page. */

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
          A caller describes the write it is about to make and the evidence it has. Writecheck answers allow,
          pause or block, records why, and never writes itself.
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
  { path: '/playground', name: 'Try an intent', what: 'and see what would make it pass' },
  { path: '/waiting', name: 'See what waits for a person', what: 'the paused ones, oldest first' },
  { path: '/decisions', name: 'Look up a decision', what: 'by object, run, workflow or reason' },
  { path: '/policies', name: 'Write the rules', what: 'which write needs which control' },
  { path: '/keys', name: 'Give an agent a key', what: 'make, rotate and revoke them' },
] as const;
