/** Creates a workspace and signs its owner in. */
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { TextField } from '../../components/field.tsx';
import { FieldFault } from '../../components/field-fault.tsx';
import { Section } from '../../components/page.tsx';
import { firstKeys } from '../../state/first-keys.ts';
import { href } from '../../state/route.ts';
import { checkingKey, signIn } from '../../state/session.ts';
import { useAct } from '../../use-act.ts';

export function NewWorkspace({ isAnother }: { readonly isAnother: boolean }) {
  const [name, setName] = useState('');
  const { isBusy, failure, act } = useAct();
  const [isTried, setIsTried] = useState(false);

  // A pasted key must not leave this page as a name.
  const isKey = /wck_[a-z]+_/i.test(name);
  const submit = (event: Event) => {
    event.preventDefault();
    setIsTried(true);
    if (name.trim() === '' || isKey) return;
    act(call('POST /v1/workspaces', { key: null, json: { name: name.trim() } }), (made) => {
      signIn({ secret: made.ownerKey, workspace: made.workspace });
      checkingKey.set(made.developmentKey);
      firstKeys.set(made);
    });
  };

  return (
    <Section title={isAnother ? 'Create another workspace' : 'Create a workspace'}>
      <form noValidate onSubmit={submit}>
        <TextField
          label="Name"
          name="workspace-name"
          autocomplete="off"
          maxLength={256}
          value={name}
          aria-describedby="new-workspace-help"
          aria-invalid={isKey}
          onInput={setName}
        />
        <p id="new-workspace-help" class="quiet small-text">
          A workspace has its own keys, policies and decisions. Example: “Accounts payable”.
        </p>
        <FieldFault
          text={
            isTried && name.trim() === ''
              ? 'Type a name first, such as the team whose agents it checks.'
              : null
          }
        />
        {isKey && (
          <p class="note note-bad" role="alert">
            This is a key, and a name is not secret. To use an owner key,{' '}
            <a href={href('/sign-in')}>sign in</a> with it.
          </p>
        )}
        <ErrorNote failure={failure} />
        <button type="submit" class={isAnother ? 'primary' : ''} disabled={isBusy || isKey}>
          {isBusy ? 'Creating …' : 'Create workspace'}
        </button>
      </form>
    </Section>
  );
}
