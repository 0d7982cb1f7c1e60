/** The form that renames the workspace. */
import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import { noteMe } from '../state/session.ts';
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
  return (
    <FormSheet
      title="Rename the workspace"
      action="Rename"
      send={() => call('PATCH /v1/workspace', { json: { name: name.trim() } })}
      onDone={({ workspace }) => noteMe({ workspace })}
      onClose={onClose}
    >
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
