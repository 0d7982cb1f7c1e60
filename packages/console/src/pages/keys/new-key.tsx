/** The form for a new key. */
import type { IssuedKey, Key } from '@writecheck/api';
import { SERVICE_ROLES, type ServiceRole } from '@writecheck/contract';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { Checks, said } from '../../components/checks.tsx';
import { NamesField, TextField } from '../../components/field.tsx';
import { FormSheet } from '../../components/form-sheet.tsx';

const KINDS: readonly { readonly kind: Key['kind']; readonly says: string }[] = [
  { kind: 'development', says: 'for development; 1,000 checks a month across all development keys' },
  { kind: 'live', says: 'for production' },
  { kind: 'owner', says: 'manages keys and policies, reads decisions; cannot send checks' },
  { kind: 'service', says: 'for CI and scripts; may do what its roles may' },
];
const ROLE_SAYS = { author: 'applies policies, runs impact reports', auditor: 'reads everything' } as const;

export function NewKey({
  insteadOf,
  onMade,
  onClose,
}: {
  /** A key without limits: they cannot be added to it, so the new one takes its name and kind. */
  readonly insteadOf: Key | null;
  readonly onMade: (issued: IssuedKey) => void;
  readonly onClose: () => void;
}) {
  const [kind, setKind] = useState<Key['kind']>(insteadOf?.kind ?? 'development');
  const [name, setName] = useState(insteadOf?.name ?? '');
  const [expires, setExpires] = useState('');
  const [allowedSystems, setSystems] = useState<readonly string[]>([]);
  const [allowedWorkflows, setWorkflows] = useState<readonly string[]>([]);
  const [roles, setRoles] = useState<readonly ServiceRole[]>(['auditor']);
  const isChecking = kind === 'development' || kind === 'live';
  const make = () => {
    const json = {
      kind,
      name: name.trim(),
      ...(expires !== '' && { expiresAt: new Date(`${expires}T23:59:59`).toISOString() }),
      ...(isChecking && allowedSystems.length > 0 && { allowedSystems }),
      ...(isChecking && allowedWorkflows.length > 0 && { allowedWorkflows }),
      ...(kind === 'service' && { roles }),
    };
    return call('POST /v1/keys', { json });
  };
  return (
    <FormSheet
      title={insteadOf === null ? 'Create a key' : 'Replace it with a limited key'}
      action="Create key"
      isReady={kind !== 'service' || roles.length > 0}
      send={make}
      onDone={onMade}
      onClose={onClose}
    >
      {insteadOf !== null && (
        <p>A key’s limits can’t change. Create this one, give it to the agent, then revoke the old one.</p>
      )}
      <fieldset class="kinds">
        <legend>Kind</legend>
        {KINDS.map((each) => (
          <label key={each.kind} class="kind">
            <input
              type="radio"
              name="kind"
              value={each.kind}
              checked={kind === each.kind}
              onChange={() => setKind(each.kind)}
            />
            <span>{said(each.kind, each.says)}</span>
          </label>
        ))}
      </fieldset>
      <div class="fields">
        <TextField
          label="Name"
          required
          maxLength={256}
          value={name}
          placeholder="e.g. ap-bot"
          onInput={setName}
        />
        <TextField
          label="Expires at the end of"
          hint="leave empty for no expiry"
          type="date"
          value={expires}
          onInput={setExpires}
        />
        {isChecking && (
          <>
            <NamesField
              label="Only these systems"
              hint="comma-separated"
              names={allowedSystems}
              placeholder="any"
              onNames={setSystems}
            />
            <NamesField
              label="Only these workflows"
              hint="comma-separated"
              names={allowedWorkflows}
              placeholder="any"
              onNames={setWorkflows}
            />
          </>
        )}
      </div>
      {kind === 'service' && (
        <Checks
          title="Roles"
          options={SERVICE_ROLES.map((role) => [role, said(role, ROLE_SAYS[role])])}
          chosen={roles}
          onChange={setRoles}
        />
      )}
    </FormSheet>
  );
}
