/** The intent's evidence; each item can be switched off to see what changes. */
import { EVIDENCE_RESULTS, isObject, type JsonObject } from '@writecheck/contract';
import { useState } from 'preact/hooks';
import { TextField } from '../../components/field.tsx';
import { FieldFault } from '../../components/field-fault.tsx';
import { ago } from '../../picture/durations.ts';
import { type Draft, evidenceOf, objectIn, toggled, withAddedItem, withItem, withoutItem } from './draft.ts';
import { isSupposed, SUPPOSED } from './supposed.ts';

interface ListProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

export function EvidenceList({ draft, onChange }: ListProps) {
  const items = evidenceOf(draft);
  return (
    <fieldset>
      <legend>Evidence</legend>
      {items.length === 0 && (
        <p class="quiet small-text">None. A control without evidence pauses the write.</p>
      )}
      <ul class="evidence">
        {items.map((item, at) => (
          <Item key={at} at={at} item={item} draft={draft} onChange={onChange} />
        ))}
      </ul>
      <datalist id="evidence-results">
        {EVIDENCE_RESULTS.map((result) => (
          <option key={result} value={result} />
        ))}
      </datalist>
      <button
        type="button"
        class="small"
        onClick={() =>
          onChange(withAddedItem(draft, { controlId: '', source: '', result: 'PASS', checkedAt: now() }))
        }
      >
        Add evidence
      </button>
    </fieldset>
  );
}

function Item({ at, item, draft, onChange }: ListProps & { readonly at: number; readonly item: JsonObject }) {
  const isOn = !draft.off.has(at);
  const [control, source] = [textOf(item, 'controlId'), textOf(item, 'source')];
  const name = control === '' || source === '' ? 'New evidence (incomplete)' : `${control} from ${source}`;
  const set = (member: string, value: string) => {
    const { [member]: _, ...rest } = item;
    const isLeftOut = value === '' && member in OPTIONAL;
    onChange(withItem(draft, at, isLeftOut ? rest : { ...item, [member]: value }));
  };
  const field = (member: string, list?: string) => (
    <TextField
      label={member}
      value={textOf(item, member)}
      list={list}
      onInput={(entered) => set(member, entered)}
    />
  );
  return (
    <li class={isOn ? '' : 'is-off'}>
      <div class="row">
        <label>
          <input type="checkbox" checked={isOn} onChange={() => onChange(toggled(draft, at))} />
          <span>
            {name}
            {!isOn && <span class="quiet"> · switched off</span>}
          </span>
        </label>
        <button
          type="button"
          class="small plain"
          aria-label={`Remove ${name}`}
          onClick={() => onChange(withoutItem(draft, at))}
        >
          Remove
        </button>
      </div>
      <details>
        <summary>
          <code>{textOf(item, 'result')}</code> <span class="quiet">{ageOf(textOf(item, 'checkedAt'))}</span>
        </summary>
        <div class="fields">
          {field('controlId')}
          {field('source')}
          {field('result', 'evidence-results')}
          <div class="with-button">
            {field('checkedAt')}
            <button type="button" class="small" onClick={() => set('checkedAt', now())}>
              Now
            </button>
          </div>
          {field('expiresAt')}
          {field('evidenceRef')}
          {field('attestation')}
        </div>
        <Facts item={item} name={name} onChange={(next) => onChange(withItem(draft, at, next))} />
      </details>
    </li>
  );
}

/** Values as if the source had signed them: pasted as an object, or as a whole claim that has them. */
function Facts({
  item,
  name,
  onChange,
}: {
  readonly item: JsonObject;
  readonly name: string;
  readonly onChange: (item: JsonObject) => void;
}) {
  const [typed, setTyped] = useState<{ readonly text: string; readonly facts: unknown } | null>(null);
  // What was typed stands for the facts that it gave; other facts came from outside this field.
  const text = typed?.facts === item.facts && typed ? typed.text : JSON.stringify(item.facts ?? {}, null, 2);
  const isBad = factsIn(text) === null;
  const isOn = isSupposed(item);
  const suppose = () => {
    const { attestation: _, facts: __, ...rest } = item;
    const facts = isOn ? undefined : (factsIn(text) ?? {});
    setTyped({ text, facts });
    onChange(facts === undefined ? rest : { ...rest, attestation: SUPPOSED, facts });
  };
  const type = (next: string) => {
    const facts = factsIn(next);
    setTyped({ text: next, facts: facts ?? item.facts });
    if (facts !== null) onChange({ ...item, facts });
  };
  return (
    <>
      <label>
        <input type="checkbox" checked={isOn} onChange={suppose} />
        Suppose the source signed it
      </label>
      {isOn && (
        <label>
          Facts it signed, as JSON
          <textarea
            rows={4}
            spellcheck={false}
            aria-label={`Facts of ${name}`}
            aria-invalid={isBad}
            value={text}
            onInput={(event) => type(event.currentTarget.value)}
          />
          <FieldFault text={isBad ? 'Not a JSON object. The last valid facts count.' : null} />
        </label>
      )}
    </>
  );
}

/** Null if the text is no JSON object. */
function factsIn(text: string): JsonObject | null {
  const given = objectIn(text);
  if (given === null) return null;
  const { facts, iss, jti } = given;
  return (iss !== undefined || jti !== undefined) && isObject(facts) ? facts : given;
}

const OPTIONAL = { checkedAt: true, expiresAt: true, evidenceRef: true, attestation: true };

function textOf(item: JsonObject, member: string): string {
  const value = item[member];
  return typeof value === 'string' ? value : '';
}

function ageOf(checkedAt: string): string {
  if (checkedAt === '') return 'no time given';
  const atMs = Date.parse(checkedAt);
  return Number.isNaN(atMs) ? checkedAt : ago(Date.now() - atMs);
}

export function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}
