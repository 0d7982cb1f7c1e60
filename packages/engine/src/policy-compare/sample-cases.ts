/** Makes intents from what two bundles name, to find some that show a difference between them. */
import {
  type AttestationChecks,
  DAY_MS,
  type Decision,
  durationMs,
  type EvidenceItem,
  given,
  intentFromValue,
  NO_ATTESTATION,
  REVIEW_DESK,
  type ReasonCode,
  type WriteIntent,
} from '@writecheck/contract';
import type { ControlDefinition, PolicyDocument } from '../policy/documents.ts';
import { controlOf } from './compare-profiles.ts';
import { sampleTargets } from './sample-targets.ts';

export interface RecordedVerdict {
  readonly decision: Decision;
  readonly reason_code: ReasonCode;
}

export interface SampleCase {
  /** Absent if it was constructed. */
  readonly origin?: 'recorded' | 'test';
  readonly intent: WriteIntent;
  /** One per evidence item. */
  readonly facts: readonly AttestationChecks[];
  readonly nowMs: number;
  /** What the log says was decided. */
  readonly recorded?: RecordedVerdict;
}

const WORKFLOWS_MAX = 20;
const CONTROLS_MAX = 40;
const SECOND_MS = 1_000;
const YEAR_MS = 365 * DAY_MS;

type Authority = Pick<WriteIntent, 'agentValue' | 'authorityFound' | 'authorityValue' | 'authoritySource'>;

export function* sampleCases(
  before: readonly PolicyDocument[],
  after: readonly PolicyDocument[],
  nowMs: number,
): Generator<SampleCase> {
  const both = [...before, ...after];
  const workflows = new Set<string>();
  for (const document of both) if (document.kind === 'Workflow') workflows.add(document.id);
  const named = [undefined, ...[...workflows].slice(0, WORKFLOWS_MAX)];
  const authorities = sampleAuthorities(both);
  const evidences = [...sampleEvidence(before, after, nowMs)];
  for (const target of sampleTargets(both)) {
    for (const workflowId of named) {
      for (const [at, authority] of authorities.entries()) {
        for (const [which, { items, facts }] of evidences.entries()) {
          // Flaws of single controls are tried with the plainest authority only: the two are independent.
          if (which >= GENERAL_EVIDENCE && at > 1) break;
          yield {
            intent: {
              ...target,
              ...authority,
              ...given({ workflowId }),
              ...(items.length === 0 ? {} : { controlEvidence: items }),
            },
            facts,
            nowMs,
          };
        }
      }
    }
  }
}

function sampleAuthorities(documents: readonly PolicyDocument[]): readonly Authority[] {
  const sources = new Set<string>();
  for (const document of documents) {
    if (document.kind !== 'Profile' || typeof document.authority !== 'object') continue;
    for (const source of document.authority.sources ?? []) sources.add(source);
  }
  const found = (agentValue: string, authorityValue: string, authoritySource = 'elsewhere'): Authority => ({
    agentValue,
    authorityFound: true,
    authorityValue,
    authoritySource,
  });
  const accepted = [...sources][0] ?? 'master';
  return [
    found('A', 'A', accepted),
    {},
    found('A', 'B', accepted),
    found('A', 'a', accepted),
    found(' A', 'A', accepted),
    found('1', '1.0', accepted),
    found('2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00', accepted),
    found('A', 'A'),
    ...[...sources].slice(1, 8).map((source) => found('A', 'A', source)),
  ];
}

interface Evidence {
  readonly items: readonly EvidenceItem[];
  readonly facts: readonly AttestationChecks[];
}

interface Flaw {
  readonly result?: string;
  readonly ageMs?: number;
  readonly source?: string;
  readonly isUnsigned?: boolean;
  readonly neverExpires?: boolean;
  readonly boundToObject?: boolean;
  readonly usedUp?: boolean;
}

/** How many of the evidence sets come before those with a flaw in one control. */
const GENERAL_EVIDENCE = 3;

function* sampleEvidence(
  before: readonly PolicyDocument[],
  after: readonly PolicyDocument[],
  nowMs: number,
): Generator<Evidence> {
  const old = definitions(before);
  const next = definitions(after);
  const ids = [...new Set([...controlIds(before), ...controlIds(after)])].slice(0, CONTROLS_MAX);
  const signers = new Set<string>();
  for (const document of [...before, ...after]) {
    if (document.kind === 'EvidenceSource' && document.keys.keys.length > 0) signers.add(document.id);
  }
  const build = (flawed: string | null, flaw: Flaw | null, defined = next): Evidence => {
    const items: EvidenceItem[] = [];
    const facts: AttestationChecks[] = [];
    for (const id of ids) {
      if (id === flawed && flaw === null) continue;
      const made = evidenceFor(id, defined.get(id) ?? {}, signers, nowMs, id === flawed ? flaw! : {});
      items.push(made.item);
      facts.push(made.facts);
    }
    return { items, facts };
  };
  yield build(null, {});
  yield build(null, {}, old);
  yield { items: [], facts: [] };
  for (const id of ids) {
    yield build(id, null);
    const flaws: Flaw[] = [{ result: 'FAIL' }, { result: 'OK' }, { isUnsigned: true }];
    flaws.push({ neverExpires: true }, { boundToObject: true }, { usedUp: true }, { source: 'elsewhere' });
    const sources = [...(old.get(id)?.sources ?? []), ...(next.get(id)?.sources ?? [])];
    if (old.get(id)?.review !== undefined || next.get(id)?.review !== undefined) sources.push(REVIEW_DESK);
    for (const source of new Set(sources)) flaws.push({ source });
    const ages = [old, next].flatMap((defined) => {
      const maxAge = defined.get(id)?.maxAge;
      return maxAge === undefined ? [] : [durationMs(maxAge)];
    });
    for (const ageMs of ages) flaws.push({ ageMs }, { ageMs: ageMs + 1 });
    if (ages.length > 0) flaws.push({ ageMs: YEAR_MS });
    for (const flaw of flaws) yield build(id, flaw);
  }
}

function evidenceFor(
  controlId: string,
  definition: ControlDefinition,
  signers: ReadonlySet<string>,
  nowMs: number,
  flaw: Flaw,
): { readonly item: EvidenceItem; readonly facts: AttestationChecks } {
  const accepted = definition.sources ?? [...signers, 'desk'];
  const signer = accepted.find((source) => signers.has(source));
  const reviewed = definition.review === undefined ? undefined : REVIEW_DESK;
  const source = flaw.source ?? reviewed ?? signer ?? accepted[0]!;
  const checkedAtMs = nowMs - (flaw.ageMs ?? SECOND_MS);
  const item = {
    controlId,
    source,
    result: flaw.result ?? 'PASS',
    checkedAt: new Date(checkedAtMs).toISOString(),
  };
  const isApproval = source === REVIEW_DESK;
  const isSigned =
    flaw.isUnsigned !== true && (isApproval || definition.assurance === 'attested' || signers.has(source));
  if (!isSigned) return { item, facts: NO_ATTESTATION };
  return {
    item: isApproval ? item : { ...item, attestation: 'a signed one' },
    facts: {
      kind: 'verified',
      jti: isApproval ? `rev_sample:${controlId}` : controlId,
      checkedAtMs,
      expiresAtMs: flaw.neverExpires === true ? null : nowMs + 300 * SECOND_MS,
      boundToDigest: flaw.boundToObject !== true,
      boundToObject: flaw.boundToObject === true,
      revoked: false,
      usedUp: flaw.usedUp === true,
      ...(isApproval && { approval: { by: [`sample:${controlId}`], confirmsAuthority: true } }),
    },
  };
}

function definitions(documents: readonly PolicyDocument[]): ReadonlyMap<string, ControlDefinition> {
  return new Map(
    documents.flatMap((document) =>
      document.kind === 'ControlPack' ? Object.entries(document.controls) : [],
    ),
  );
}

/** The required ones first, so that they are covered if there are many. */
function controlIds(documents: readonly PolicyDocument[]): readonly string[] {
  const ids = new Set<string>();
  for (const document of documents) {
    if (document.kind !== 'Profile' && document.kind !== 'Workflow') continue;
    for (const requirement of document.require ?? []) ids.add(controlOf(requirement));
    if (document.kind === 'Profile' && typeof document.authority === 'object') {
      if (document.authority.attestedBy !== undefined) ids.add(document.authority.attestedBy);
      if (document.authority.confirmedBy !== undefined) ids.add(document.authority.confirmedBy);
    }
  }
  for (const id of definitions(documents).keys()) ids.add(id);
  return [...ids];
}

/** The cases that the authors of the policies test. */
export function* testCases(documents: readonly PolicyDocument[]): Generator<SampleCase> {
  for (const document of documents) {
    if (document.kind !== 'PolicyTest') continue;
    const parsed = intentFromValue(document.intent);
    if (parsed.kind !== 'intent') continue;
    yield { intent: parsed.intent, facts: [], nowMs: Date.parse(document.now), origin: 'test' };
  }
}
