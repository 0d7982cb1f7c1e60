/** The two keys of a new workspace, shown this one time. */
import { useEffect, useRef } from 'preact/hooks';
import { CopyButton } from '../../components/copy-button.tsx';
import { download } from '../../components/download.ts';
import { type FirstKeys, firstKeys } from '../../state/first-keys.ts';
import { go } from '../../state/route.ts';

export function KeysShownOnce({ keys }: { readonly keys: FirstKeys }) {
  const done = () => {
    firstKeys.set(null);
    go('/overview');
  };
  const heading = useRef<HTMLHeadingElement>(null);
  // The submitted form is gone, and the focus with it.
  useEffect(() => heading.current?.focus(), []);
  return (
    <section class="card" aria-labelledby="keys">
      <h2 id="keys" ref={heading} tabIndex={-1}>
        Save these two keys now
      </h2>
      <p>
        You won’t see them again; the service keeps only their hashes. This tab is signed in with the owner
        key.
      </p>
      <dl class="stack secrets">
        <Secret
          name="Owner key"
          secret={keys.ownerKey}
          use="manages keys and policies, reads decisions; cannot send checks"
        />
        <Secret
          name="Development key"
          secret={keys.developmentKey}
          use="sends checks, 1,000 a month; cannot change anything"
        />
      </dl>
      <div class="row">
        <button type="button" onClick={() => download('writecheck.env', envOf(keys), 'text/plain')}>
          Download .env
        </button>
        <button type="button" class="primary" onClick={done}>
          I’ve saved both
        </button>
      </div>
    </section>
  );
}

function envOf({ ownerKey, developmentKey }: FirstKeys): string {
  return `WRITECHECK_OWNER_KEY=${ownerKey}\nWRITECHECK_API_KEY=${developmentKey}\n`;
}

function Secret({
  name,
  secret,
  use,
}: {
  readonly name: string;
  readonly secret: string;
  readonly use: string;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span class="secret">
          <code>{secret}</code>
          <CopyButton text={secret} what={name.toLowerCase()} />
        </span>
        <span class="quiet small-text">{use}</span>
      </dd>
    </div>
  );
}
