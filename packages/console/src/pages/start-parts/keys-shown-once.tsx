/** The two secrets of a new workspace, for the only time they can be seen. */
import { useEffect, useRef } from 'preact/hooks';
import { CopyButton } from '../../components/copy-button.tsx';
import { type FirstKeys, firstKeys } from '../../state/first-keys.ts';
import { go } from '../../state/route.ts';

export function KeysShownOnce({ keys }: { readonly keys: FirstKeys }) {
  const done = () => {
    firstKeys.set(null);
    go('/playground');
  };
  const heading = useRef<HTMLHeadingElement>(null);
  // The form that was just sent is gone, and with it the place where the reader was.
  useEffect(() => heading.current?.focus(), []);
  return (
    <section class="card" aria-labelledby="keys">
      <h2 id="keys" ref={heading} tabIndex={-1}>
        Keep these two keys now
      </h2>
      <p>
        They are shown this once; the service keeps only their hashes. You are signed in with the owner key,
        for this tab alone.
      </p>
      <dl class="secrets">
        <Secret
          name="Owner key"
          secret={keys.ownerKey}
          use="manages keys and policies, reads decisions; cannot check"
        />
        <Secret
          name="Development key"
          secret={keys.developmentKey}
          use="asks for decisions, 1,000 a month; cannot change anything"
        />
      </dl>
      <div class="row">
        <button type="button" onClick={done}>
          I have kept both
        </button>
      </div>
    </section>
  );
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
