/** The form that renames the workspace. */
import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import { noteWorkspace } from '../state/session.ts';
import { TextField } from './field.tsx';
import { FormSheet } from './form-sheet.tsx';

export default function RenameWorkspace({
  name: before,
  onClose,
}: {
  readonly name: string;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(before);
  const send = async () => {
    const reply = await call('PATCH /v1/workspace', { json: { name: name.trim() } });
    if (reply.kind === 'failure') return reply;
    noteWorkspace(reply.value.workspace);
    return null;
  };
  return (
    <FormSheet title="Rename the workspace" action="Rename" onSubmit={send} onClose={onClose}>
      <TextField
        label="Name"
        name="workspace-name"
        autocomplete="off"
        maxLength={256}
        required
        value={name}
        onInput={setName}
      />
      <p class="quiet small-text">
        Everyone sees the new name, and the log records that you changed it. Keys and links keep working.
      </p>
    </FormSheet>
  );
}
