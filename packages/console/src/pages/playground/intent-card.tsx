/** The intent that is edited: what it starts from, then a form or its JSON. */
import type { JsonObject } from '@writecheck/contract';
import { useMemo, useState } from 'preact/hooks';
import { type Draft, draftOf, effectiveIntent } from './draft.ts';
import { builtInExamples, examplesFromTests } from './examples.ts';
import { IntentForm, type PublishedSchema } from './intent-form.tsx';
import { JsonEditor } from './json-editor.tsx';
import { Segmented } from './segmented.tsx';

export function useEdited(first: JsonObject) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(first));
  // A change from outside the editor resets its text.
  const [edition, setEdition] = useState(0);
  // INVARIANT: the page predicts and sends exactly the text it shows, and sends nothing while that is invalid.
  const [isUnreadable, setIsUnreadable] = useState(false);
  const intent = useMemo(() => effectiveIntent(draft), [draft]);
  const replace = (next: Draft) => {
    setDraft(next);
    setEdition((count) => count + 1);
    setIsUnreadable(false);
  };
  return { draft, intent, edition, isUnreadable, setDraft, setIsUnreadable, replace };
}

type Edited = ReturnType<typeof useEdited>;

interface IntentProps {
  readonly edited: Edited;
  readonly schema: PublishedSchema | null;
  readonly documents: readonly unknown[];
  /** Whether the intent came from a decision rather than an example. */
  readonly isOwn: boolean;
  readonly onBegin: (intent: JsonObject) => void;
}

export function IntentCard({ edited, schema, documents, isOwn, onBegin }: IntentProps) {
  const { draft, intent, edition, setDraft, setIsUnreadable } = edited;
  const [isJson, setIsJson] = useState(false);
  const switchView = (toJson: boolean) => {
    if (toJson === isJson) return;
    setIsJson(toJson);
    // The form shows the last valid intent.
    setIsUnreadable(false);
  };
  const edit = (next: JsonObject) => {
    setDraft(draftOf(next));
    setIsUnreadable(false);
  };
  return (
    <section class="card" aria-label="Intent">
      <div class="row title-row">
        <h2>Intent</h2>
        <Segmented title="View" options={['Form', 'As JSON']} isSecond={isJson} onChoose={switchView} />
      </div>
      <Examples documents={documents} isOwn={isOwn} onBegin={onBegin} />
      {isJson ? (
        <JsonEditor
          key={edition}
          intent={intent}
          onChange={edit}
          onUnreadable={() => setIsUnreadable(true)}
        />
      ) : (
        schema !== null && <IntentForm draft={draft} schema={schema} onChange={setDraft} />
      )}
    </section>
  );
}

function Examples({ documents, isOwn, onBegin }: Omit<IntentProps, 'edited' | 'schema'>) {
  const groups = useMemo(() => {
    const nowMs = Date.now();
    return [
      { name: 'Examples', examples: builtInExamples(nowMs) },
      { name: 'Tests of your policies', examples: examplesFromTests(documents, nowMs) },
    ].filter(({ examples }) => examples.length > 0);
  }, [documents]);
  const all = groups.flatMap(({ examples }) => examples);
  return (
    <label>
      <span>Start from</span>
      <select
        onChange={(event) => {
          const chosen = all.find(({ name }) => name === event.currentTarget.value);
          if (chosen !== undefined) onBegin(chosen.intent);
        }}
      >
        {isOwn && <option value="">the recorded intent</option>}
        {groups.map(({ name, examples }) => (
          <optgroup key={name} label={name}>
            {examples.map((each) => (
              <option key={each.name} value={each.name}>
                {each.name}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}
