/** The landing page: what Writecheck does, how to get in, and the keys of a new workspace. */
import { useEffect, useState } from 'preact/hooks';
import { DemoHint } from '../../components/demo-hint.tsx';
import { CallerText } from '../../components/text.tsx';
import { noteAway } from '../../state/connection.ts';
import { firstKeys } from '../../state/first-keys.ts';
import { href, replacePlace, usePlace } from '../../state/route.ts';
import { useSession } from '../../state/session.ts';
import { useStore } from '../../state/store.ts';
import { ExampleAnswer } from './example-answer.tsx';
import type { FirstCheck } from './first-check.tsx';
import { KeysShownOnce } from './keys-shown-once.tsx';
import { NewWorkspace } from './new-workspace.tsx';
import '../../style/shared.css';
import { Section } from '../../components/page.tsx';

export default function Start() {
  const session = useSession();
  const keys = useStore(firstKeys);
  const { path } = usePlace();
  const isPassing = session !== null && keys === null && path === '/';
  useEffect(() => {
    if (isPassing) replacePlace('/overview');
  }, [isPassing]);
  if (isPassing) return null;
  if (keys !== null) {
    return (
      <div class="page">
        <h1>
          <CallerText text={keys.workspace.name} />
        </h1>
        <KeysShownOnce keys={keys} />
        <FirstCheckPlace developmentKey={keys.developmentKey} />
      </div>
    );
  }
  if (session !== null)
    return (
      <div class="page">
        <h1>New workspace</h1>
        <NewWorkspace isAnother />
      </div>
    );
  return (
    <div class="page landing">
      <div class="stack far">
        <div class="lead">
          <h1>Ask before an agent writes</h1>
          <p>
            An agent describes the write it plans and the evidence it has. Writecheck allows, pauses or blocks
            it and records why. It never performs the write.
          </p>
          <p class="quiet small-text">
            <DemoHint />
          </p>
        </div>
        <Section title="Started it yourself?">
          <p>
            The first start already created a workspace. Sign in with its owner key, which starts with{' '}
            <code>wck_own_</code>: the terminal shows it, or says which file has it.
          </p>
          <div class="row">
            <a class="button primary" href={href('/sign-in')}>
              Sign in with the owner key
            </a>
          </div>
        </Section>
        <NewWorkspace isAnother={false} />
      </div>
      <ExampleAnswer />
    </div>
  );
}

/** Loads the check when there is a key for it: the first view doesn't draw decisions. */
function FirstCheckPlace({ developmentKey }: { readonly developmentKey: string }) {
  const [Loaded, setLoaded] = useState<typeof FirstCheck | null>(null);
  useEffect(() => {
    import('./first-check.tsx').then((module) => setLoaded(() => module.FirstCheck), noteAway);
  }, []);
  return Loaded === null ? null : <Loaded developmentKey={developmentKey} />;
}
