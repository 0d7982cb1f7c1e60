/** Tries a bundle on recorded traffic, and streams how far it is and its report. */
import { IMPACT, type ReadOf } from '@writecheck/api';
import { answerText, implement } from '../../exchange/implement.ts';
import { readValue } from '../../exchange/read-json.ts';
import { isRefusal, type Refusal, refuse, refuseAt } from '../../exchange/refusal.ts';
import type { KeyedCall, Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { invalidPolicy, tooManyAtOnce } from '../policies/apply-policy.ts';
import type { BundleSource } from '../policies/bundle-source.ts';
import { BUNDLE_BODY_BYTES_MAX, outlineOf } from '../policies/policy-routes.ts';
import { rangeOf } from './impact-range.ts';
import type { ReplayOrder } from './replay-log.ts';

type Asked = ReadOf<typeof IMPACT.tryPolicies>;

export function impactRoutes(parts: ServiceParts): readonly Route[] {
  return [
    implement(
      IMPACT.tryPolicies,
      async (call) => {
        const left = new AbortController();
        const stopListening = call.request.whenGone(() => left.abort());
        const order = await orderOf(parts, call);
        const run = isRefusal(order) ? order : await parts.impact.start(order, left.signal);
        if (run.kind === 'refused') {
          stopListening();
          return run;
        }
        void run.ended.then(stopListening);
        return answerText(IMPACT.tryPolicies, 200, run.lines);
      },
      { limitBytes: BUNDLE_BODY_BYTES_MAX, readsBody: true },
    ),
  ];
}

async function orderOf(parts: ServiceParts, call: KeyedCall): Promise<ReplayOrder | Refusal> {
  const { policies, store, check } = parts;
  const { body, context } = call;
  const { workspace } = call.actor;
  const outlined = await outlineOf(policies.jobs, body, workspace);
  if (outlined.kind === 'refused') return outlined;
  const read = readValue(IMPACT.tryPolicies.body, outlined.value);
  if (read.kind === 'refused') return read;
  const asked = read.value;
  const refusal = refuseChoice(asked);
  if (refusal !== null) return refusal;
  // A decision before the call counts, even in the same millisecond.
  const callMs = Math.max(check.clock.notBefore(context.nowMs), (await store.newestAtMs()) + 1);
  const range = rangeOf(asked, callMs);
  if (isRefusal(range)) return range;
  const running = (await store.currentPolicy(workspace))?.documents ?? null;
  const candidate = asked.current === true ? running : await candidateOf(parts, asked, workspace, body);
  if (candidate !== null && typeof candidate === 'object') return candidate;
  const { system = null, includeDevelopment = false } = asked;
  return { workspace, candidate, running, ...range, system, includeDevelopment };
}

function refuseChoice({ documents, revision, current }: Asked): Refusal | null {
  if (current === false)
    return refuseAt('/current', '`current` can only be `true`; omit it to name `documents` or a `revision`');
  const named = [documents, revision, current].filter((member) => member !== undefined).length;
  return named === 1 ? null : refuseAt('', 'name exactly one of `documents`, `revision` and `current`');
}

async function candidateOf(
  { store, policies }: ServiceParts,
  { revision }: Asked,
  workspace: string,
  body: Uint8Array,
): Promise<string | Refusal> {
  let source: BundleSource = { kind: 'body', bytes: body };
  if (revision !== undefined) {
    const found = await store.findPolicy(workspace, revision);
    if (found === null) return refuse('not_found', `there is no revision ${revision} in this workspace`);
    source = { kind: 'stored', text: found.documents };
  }
  const examined = await policies.jobs.examine(source, workspace);
  if (examined.kind === 'busy') return tooManyAtOnce();
  return examined.kind === 'invalid' ? invalidPolicy(examined.details) : examined.text;
}
