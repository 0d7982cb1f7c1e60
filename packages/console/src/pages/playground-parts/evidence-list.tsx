/** The intent's evidence; each item can be switched off to see what changes. */
import { EVIDENCE_RESULTS, type JsonObject } from '@writecheck/contract';
import { ago } from '../../picture/durations.ts';
import { type Draft, evidenceOf, toggled, withAddedItem, withItem, withoutItem } from './draft.ts';

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
    <label>
      {member}
      <input
        value={textOf(item, member)}
        list={list}
        onInput={(event) => set(member, event.currentTarget.value)}
      />
    </label>
  );
  return (
    <li class={isOn ? '' : 'is-off'}>
      <div class="row">
        <label class="switch">
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
      </details>
    </li>
  );
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
