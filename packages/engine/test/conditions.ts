/** The conditions the generator may put into a profile, each with a plain evaluation of it. */
import type { JsonObject, JsonValue, WriteIntent } from '@writecheck/contract';
import type { ControlDefinition, ProfileDocument } from '../src/policy/documents.ts';

type Says = 'applies' | 'skips' | 'error' | 'unreadable';
const when = (holds: boolean): Says => (holds ? 'applies' : 'skips');
const context = (intent: WriteIntent, name: string): JsonValue | undefined => {
  const members = intent.metadata?.context;
  if (typeof members !== 'object' || members === null || Array.isArray(members)) return undefined;
  return (members as { readonly [name: string]: JsonValue })[name];
};

/** Why a condition cannot be evaluated, if anything prevents it. */
function unreadable(paths: readonly (readonly [value: JsonValue | undefined, type: string])[]): Says | null {
  return paths.some(([value, type]) => typeof value !== type) ? 'unreadable' : null;
}

export const FAR_AHEAD = '2027-01-01T00:00:00Z';

/** A failing evaluation: error. */
export const CONDITIONS: { readonly [text: string]: (intent: WriteIntent, nowMs: number) => Says } = {
  'intent.metadata.context.amount > 1000.0': (intent) => {
    const amount = context(intent, 'amount');
    return unreadable([[amount, 'number']]) ?? when((amount as number) > 1000);
  },
  'intent.metadata.context.amount > 500.0': (intent) => {
    const amount = context(intent, 'amount');
    return unreadable([[amount, 'number']]) ?? when((amount as number) > 500);
  },
  'intent.metadata.context.amount >= 500 && intent.metadata.context.tier != "gold"': (intent) => {
    const amount = context(intent, 'amount');
    const tier = context(intent, 'tier');
    const holds = (amount as number) >= 500 && tier !== 'gold';
    return (
      unreadable([
        [amount, 'number'],
        [tier, 'string'],
      ]) ?? when(holds)
    );
  },
  'intent.operation == "vendor.update" || intent.metadata.context.tier == "gold"': (intent) => {
    const tier = context(intent, 'tier');
    const holds = intent.operation === 'vendor.update' || tier === 'gold';
    return (
      unreadable([
        [intent.operation, 'string'],
        [tier, 'string'],
      ]) ?? when(holds)
    );
  },
  'intent.field != "name"': (intent) =>
    unreadable([[intent.field, 'string']]) ?? when(intent.field !== 'name'),
  '!(intent.system in ["erp", "crm"])': (intent) => when(intent.system !== 'erp' && intent.system !== 'crm'),
  'intent.authorityFound == true': (intent) =>
    unreadable([[intent.authorityFound, 'boolean']]) ?? when(intent.authorityFound === true),
  'intent.agentValue.startsWith("1")': (intent) =>
    unreadable([[intent.agentValue, 'string']]) ?? when(intent.agentValue!.startsWith('1')),
  'intent.authorityValue.contains("0") && intent.authorityValue.endsWith("0")': (intent) =>
    unreadable([[intent.authorityValue, 'string']]) ?? when(intent.authorityValue!.endsWith('0')),
  'timestamp(intent.metadata.context.due) < now': (intent, nowMs) => {
    const due = context(intent, 'due');
    const blind = unreadable([[due, 'string']]);
    if (blind !== null) return blind;
    return (due as string).endsWith('Z') ? when(Date.parse(due as string) < nowMs) : 'error';
  },
  'now - timestamp(intent.metadata.context.due) > duration("1h")': (intent, nowMs) => {
    const due = context(intent, 'due');
    const blind = unreadable([[due, 'string']]);
    if (blind !== null) return blind;
    return (due as string).endsWith('Z') ? when(nowMs - Date.parse(due as string) > 3_600_000) : 'error';
  },
  '10 / size(intent.objectRef) > 2': (intent) => {
    if (intent.objectRef === undefined) return 'unreadable';
    return intent.objectRef.length === 0 ? 'error' : when(Math.trunc(10 / intent.objectRef.length) > 2);
  },
  [`now >= timestamp("${FAR_AHEAD}")`]: (_intent, nowMs) => when(nowMs >= Date.parse(FAR_AHEAD)),
};

interface Line {
  readonly amount?: JsonValue;
  readonly po?: JsonValue;
}
const isAmount = ({ amount }: Line) => typeof amount === 'number';

/** Conditions that read the facts of the control `record`; without facts, all of them are unreadable. */
export const FACTS_CONDITIONS: {
  readonly [text: string]: (record: JsonObject, intent: WriteIntent) => Says;
} = {
  'facts.record.status == "open"': ({ status }) =>
    unreadable([[status, 'string']]) ?? when(status === 'open'),
  'facts.record.lines.all(l, l.amount <= 100.0)': ({ lines }) => {
    if (!Array.isArray(lines) || !lines.every(isAmount)) return 'unreadable';
    return when(lines.every(({ amount }) => amount <= 100));
  },
  'facts.record.lines.exists(l, has(l.po) && l.po == "PO-1") || intent.metadata.context.amount > 1000.0': (
    { lines },
    intent,
  ) => {
    const amount = context(intent, 'amount');
    if (!Array.isArray(lines) || typeof amount !== 'number') return 'unreadable';
    return when(lines.some(({ po }: Line) => po === 'PO-1') || amount > 1000);
  },
  'facts.record.lines.map(l, l.amount).sum() == 0.3': ({ lines }) => {
    if (!Array.isArray(lines) || !lines.every(isAmount)) return 'unreadable';
    const hundredths = lines.reduce(
      (sum: number, { amount }: Line) => sum + Math.round(Number(amount) * 100),
      0,
    );
    return when(hundredths === 30);
  },
};

/** The facts that the source signs; undefined for an item without the claim. */
export const RECORDS: readonly (JsonObject | undefined)[] = [
  { status: 'open', lines: [{ amount: 0.1, po: 'PO-1' }, { amount: 0.2 }] },
  { status: 'closed', lines: [{ amount: 500, po: 'PO-2' }] },
  { status: 'open', lines: [] },
  { status: 3, lines: [{ po: 'PO-1' }] },
  {},
  undefined,
];

/** The pack with `record` that conditions of these documents need; none if no condition reads facts. */
export function packOfFacts(
  documents: readonly { readonly kind: string; readonly when?: string }[],
  control: () => ControlDefinition,
) {
  const isRead = documents.some(({ when: text }) => text?.includes('facts.record') === true);
  return isRead ? [{ kind: 'ControlPack' as const, id: 'records', controls: { record: control() } }] : [];
}

/** The result of a profile's condition. */
export function conditionSays(
  { when: text }: Pick<ProfileDocument, 'when'>,
  intent: WriteIntent,
  nowMs: number,
  record: JsonObject | null,
): Says {
  if (text === undefined) return 'applies';
  const plain = CONDITIONS[text];
  if (plain !== undefined) return plain(intent, nowMs);
  return record === null ? 'unreadable' : FACTS_CONDITIONS[text]!(record, intent);
}
