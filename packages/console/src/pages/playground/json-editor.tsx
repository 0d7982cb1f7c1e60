/** The intent as JSON, parsed as strictly as the service parses it. */
import { isObject, type JsonObject, parseStrictJson } from '@writecheck/contract';
import { useState } from 'preact/hooks';

const DEPTH_MAX = 32;

interface EditorProps {
  readonly intent: JsonObject;
  readonly onChange: (intent: JsonObject) => void;
  /** The text is no longer a valid intent, so the last valid one differs from it. */
  readonly onUnreadable: () => void;
}

export function JsonEditor({ intent, onChange, onUnreadable }: EditorProps) {
  const [text, setText] = useState(() => JSON.stringify(intent, null, 2));
  const [fault, setFault] = useState<string | null>(null);
  const refuse = (message: string) => {
    setFault(message);
    onUnreadable();
  };
  const edit = (next: string) => {
    setText(next);
    const read = parseStrictJson(new TextEncoder().encode(next), DEPTH_MAX);
    if (read.kind === 'malformed') return refuse(read.message);
    if (!isObject(read.value)) return refuse('an intent must be a JSON object');
    setFault(null);
    onChange(read.value);
  };
  return (
    <div class="stack near">
      <label>
        Intent as JSON
        <textarea
          rows={26}
          spellcheck={false}
          autocomplete="off"
          value={text}
          aria-invalid={fault !== null}
          aria-describedby="json-fault"
          onInput={(event) => edit(event.currentTarget.value)}
        />
      </label>
      <p id="json-fault" class={fault === null ? 'quiet small-text' : 'note note-bad'} role="status">
        {fault === null ? 'Parsed as strictly as the service parses it.' : `Invalid: ${fault}`}
      </p>
    </div>
  );
}
