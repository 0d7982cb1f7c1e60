/** The intent as a form, built from the service's published schema. */
import type { Answered } from '@writecheck/api/calls';
import type { JsonObject, JsonValue } from '@writecheck/contract';
import { useState } from 'preact/hooks';
import { labelOf } from '../../components/member-labels.ts';
import { type Draft, objectIn, withMember } from './draft.ts';
import { EvidenceList } from './evidence-list.tsx';

export type PublishedSchema = Answered<'GET /v1/schemas/write-intent.v1.json'>;

const GROUPS: readonly { readonly name: string; readonly members: readonly string[] }[] = [
  {
    name: 'Write',
    members: ['system', 'operation', 'objectType', 'objectRef', 'field', 'agentValue'],
  },
  { name: 'Authoritative value', members: ['authorityFound', 'authoritySource', 'authorityValue'] },
  { name: 'Workflow', members: ['workflowId', 'runId'] },
];

interface FormProps {
  readonly draft: Draft;
  readonly schema: PublishedSchema;
  readonly onChange: (draft: Draft) => void;
}

export function IntentForm({ draft, schema, onChange }: FormProps) {
  const grouped = new Set(GROUPS.flatMap(({ members }) => members));
  const others = Object.keys(schema.properties).filter((name) => !grouped.has(name) && isText(schema, name));
  const groups = [...GROUPS, { name: 'Other members', members: others }];
  return (
    <div class="stack intent-form">
      {groups.map(({ name, members }) => {
        const known = members.filter((member) => member in schema.properties);
        if (known.length === 0) return null;
        return (
          <fieldset key={name}>
            <legend>{name}</legend>
            <div class="fields">
              {known.map((member) => (
                <Member key={member} member={member} draft={draft} schema={schema} onChange={onChange} />
              ))}
            </div>
          </fieldset>
        );
      })}
      <fieldset>
        <legend>Required controls</legend>
        <label>
          <Label of="requiredControls" as="Names" />
          <input
            value={controlsText(draft.intent.requiredControls)}
            placeholder="identity, approval"
            onChange={(event) =>
              onChange(withMember(draft, 'requiredControls', names(event.currentTarget.value)))
            }
          />
        </label>
      </fieldset>
      <EvidenceList draft={draft} onChange={onChange} />
      <Metadata draft={draft} onChange={onChange} />
    </div>
  );
}

function Member({ member, draft, schema, onChange }: FormProps & { readonly member: string }) {
  const value = draft.intent[member];
  const { description } = schema.properties[member]!;
  const isRequired = schema.required.includes(member);
  const label = <Label of={member}>{isRequired && <span class="quiet"> (required)</span>}</Label>;
  if (!isText(schema, member)) {
    return (
      <label title={description}>
        {label}
        <select
          value={value === undefined ? '' : String(value)}
          onChange={(event) => onChange(withMember(draft, member, BOOLEANS[event.currentTarget.value]))}
        >
          <option value="">not sent</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      </label>
    );
  }
  return (
    <label title={description}>
      {label}
      <input
        value={typeof value === 'string' ? value : ''}
        required={isRequired}
        onInput={(event) => onChange(withMember(draft, member, event.currentTarget.value))}
      />
    </label>
  );
}

/** What people call a member, over the name that a caller sends. */
function Label({
  of,
  as = labelOf([of]) ?? of,
  children,
}: {
  readonly of: string;
  readonly as?: string;
  readonly children?: preact.ComponentChildren;
}) {
  return (
    <span>
      {as}
      {children}
      {as !== of && <code class="line quiet member-path">{of}</code>}
    </span>
  );
}

/** Free-form, so it is edited as JSON. Invalid text stays in the field. */
function Metadata({ draft, onChange }: Omit<FormProps, 'schema'>) {
  const [isBad, setIsBad] = useState(false);
  const { metadata } = draft.intent;
  const read = (text: string) => {
    const value = text.trim() === '' ? undefined : objectIn(text);
    setIsBad(value === null);
    if (value !== null) onChange(withMember(draft, 'metadata', value));
  };
  return (
    <fieldset>
      <legend>Context for conditions</legend>
      <label>
        <Label of="metadata" as="As JSON" />
        <textarea
          rows={3}
          spellcheck={false}
          value={metadata === undefined ? '' : JSON.stringify(metadata)}
          placeholder='{ "agent": "refund-bot", "context": { "amount": 129.9 } }'
          aria-invalid={isBad}
          onChange={(event) => read(event.currentTarget.value)}
        />
      </label>
      {isBad && (
        <p class="note note-bad" role="alert">
          Enter a JSON object.
        </p>
      )}
    </fieldset>
  );
}

const BOOLEANS: { readonly [text: string]: boolean | undefined } = { true: true, false: false };

function isText({ properties }: PublishedSchema, name: string): boolean {
  return [properties[name]?.type].flat().includes('string');
}

function controlsText(value: JsonValue | undefined): string {
  return Array.isArray(value) ? value.join(', ') : '';
}

function names(text: string): readonly string[] {
  return text
    .split(/[,\s]+/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** Which of the two published schemas an intent must match. */
export function shapeOf(intent: JsonObject): 'write-intent' | 'action-request' {
  return intent.operation === undefined ? 'write-intent' : 'action-request';
}
