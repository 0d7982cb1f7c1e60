/** The intent being edited, and which of its evidence is switched off. */
import { isObject, type JsonObject, type JsonValue, parseStrictJson } from '@writecheck/contract';

export interface Draft {
  readonly intent: JsonObject;
  /** Indexes in `controlEvidence` that are switched off. */
  readonly off: ReadonlySet<number>;
}

/** Null if the text is no JSON object. */
export function objectIn(text: string): JsonObject | null {
  const read = parseStrictJson(new TextEncoder().encode(text));
  return read.kind === 'json' && isObject(read.value) ? read.value : null;
}

export function draftOf(intent: JsonObject): Draft {
  return { intent, off: new Set() };
}

export function evidenceOf({ intent }: Draft): readonly JsonObject[] {
  const { controlEvidence } = intent;
  return Array.isArray(controlEvidence) ? (controlEvidence as readonly JsonObject[]) : [];
}

/** The intent to send, without evidence that is switched off. */
export function effectiveIntent(draft: Draft): JsonObject {
  if (draft.off.size === 0) return draft.intent;
  return { ...draft.intent, controlEvidence: evidenceOf(draft).filter((_, at) => !draft.off.has(at)) };
}

/** An empty text removes the member. To send an empty value, use the JSON view, which shows it. */
export function withMember(draft: Draft, name: string, value: JsonValue | undefined): Draft {
  const { [name]: _, ...rest } = draft.intent;
  const isEmpty = value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  return { ...draft, intent: isEmpty ? rest : { ...draft.intent, [name]: value } };
}

export function withItem(draft: Draft, at: number, item: JsonObject): Draft {
  return withMember(draft, 'controlEvidence', evidenceOf(draft).with(at, item));
}

export function withAddedItem(draft: Draft, item: JsonObject): Draft {
  return withMember(draft, 'controlEvidence', [...evidenceOf(draft), item]);
}

export function withoutItem(draft: Draft, at: number): Draft {
  const off = [...draft.off].filter((each) => each !== at).map((each) => (each > at ? each - 1 : each));
  const items = evidenceOf(draft).filter((_, each) => each !== at);
  return { ...withMember(draft, 'controlEvidence', items), off: new Set(off) };
}

export function toggled(draft: Draft, at: number): Draft {
  const off = new Set(draft.off);
  if (!off.delete(at)) off.add(at);
  return { ...draft, off };
}
