/** The conditions the generator may put into a profile, each beside a plain reading of what it says about an intent. */
import type { JsonValue, WriteIntent } from '@writecheck/contract';

type Says = 'applies' | 'skips' | 'error';
const when = (holds: boolean): Says => (holds ? 'applies' : 'skips');
const context = (intent: WriteIntent, name: string): JsonValue | undefined => {
  const members = intent.metadata?.context;
  if (typeof members !== 'object' || members === null || Array.isArray(members)) return undefined;
  return (members as { readonly [name: string]: JsonValue })[name];
};

export const FAR_AHEAD = '2027-01-01T00:00:00Z';

/** Absent, or of another type than it is compared with: applies. A failing evaluation: error. */
export const CONDITIONS: { readonly [text: string]: (intent: WriteIntent, nowMs: number) => Says } = {
  'intent.metadata.context.amount > 1000.0': (intent) => {
    const amount = context(intent, 'amount');
    return typeof amount === 'number' ? when(amount > 1000) : 'applies';
  },
  'intent.metadata.context.amount >= 500 && intent.metadata.context.tier != "gold"': (intent) => {
    const amount = context(intent, 'amount');
    const tier = context(intent, 'tier');
    if (typeof amount !== 'number' || typeof tier !== 'string') return 'applies';
    return when(amount >= 500 && tier !== 'gold');
  },
  'intent.operation == "vendor.update" || intent.metadata.context.tier == "gold"': (intent) => {
    const tier = context(intent, 'tier');
    if (intent.operation === undefined || typeof tier !== 'string') return 'applies';
    return when(intent.operation === 'vendor.update' || tier === 'gold');
  },
  '!(intent.system in ["erp", "crm"])': (intent) => when(intent.system !== 'erp' && intent.system !== 'crm'),
  'intent.authorityFound == true': (intent) =>
    intent.authorityFound === undefined ? 'applies' : when(intent.authorityFound),
  'intent.agentValue.startsWith("1")': (intent) =>
    intent.agentValue === undefined ? 'applies' : when(intent.agentValue.startsWith('1')),
  'intent.authorityValue.contains("0") && intent.authorityValue.endsWith("0")': (intent) =>
    intent.authorityValue === undefined ? 'applies' : when(intent.authorityValue.endsWith('0')),
  'timestamp(intent.metadata.context.due) < now': (intent, nowMs) => {
    const due = context(intent, 'due');
    if (typeof due !== 'string') return 'applies';
    return due.endsWith('Z') ? when(Date.parse(due) < nowMs) : 'error';
  },
  'now - timestamp(intent.metadata.context.due) > duration("1h")': (intent, nowMs) => {
    const due = context(intent, 'due');
    if (typeof due !== 'string') return 'applies';
    return due.endsWith('Z') ? when(nowMs - Date.parse(due) > 3_600_000) : 'error';
  },
  '10 / size(intent.objectRef) > 2': (intent) => {
    if (intent.objectRef === undefined) return 'applies';
    return intent.objectRef.length === 0 ? 'error' : when(Math.trunc(10 / intent.objectRef.length) > 2);
  },
  [`now >= timestamp("${FAR_AHEAD}")`]: (_intent, nowMs) => when(nowMs >= Date.parse(FAR_AHEAD)),
};
