/** Applies a decision's remediation mechanically, if every entry says `supply`. */
import {
  type AttestationChecks,
  type EngineDecision,
  type EvidenceItem,
  NO_ATTESTATION,
  type Remediation,
} from '@writecheck/contract';
import type { Case } from './generate-intent.ts';

/** Null if something other than supplying is required. `byPerson` uses an approval wherever one is accepted. */
export function supplyRemedies(one: Case, { remediation }: EngineDecision, byPerson: boolean): Case | null {
  const needs = remediation?.filter(({ action }) => action !== 'inform');
  if (needs === undefined || needs.some(({ action }) => action !== 'supply')) return null;
  const authority = needs.find(({ gate, controlId }) => gate === 'authority' && controlId === undefined);
  const given = authority === undefined ? one : supplyAuthority(one, authority);
  return needs
    .filter(({ controlId }) => controlId !== undefined)
    .reduce((supplied, need) => supplyEvidence(supplied, need, byPerson), given);
}

/** Somebody approves every control of the review, and the caller supplies the other evidence; the write stays the same. */
export function approveReview(one: Case, { review, remediation = [] }: EngineDecision): Case {
  const { controls } = review!;
  const approved = controls.reduce(
    (given, controlId) => supplyEvidence(given, { ...APPROVAL, controlId }, true),
    one,
  );
  return remediation
    .filter(({ gate, controlId }) => gate === 'control' && !controls.includes(controlId!))
    .reduce((given, need) => supplyEvidence(given, need, false), approved);
}

const APPROVAL: Remediation = {
  gate: 'control',
  action: 'supply',
  need: '',
  acceptedSources: ['review-desk'],
  assurance: 'attested',
};

/** Adds only what is absent. That changes the digest, so attestations bound to the old one no longer verify. */
function supplyAuthority({ intent, facts, ...rest }: Case, { acceptedSources }: Remediation): Case {
  const value = intent.authorityValue ?? intent.agentValue ?? 'supplied';
  return {
    ...rest,
    intent: {
      ...intent,
      authorityFound: intent.authorityFound ?? true,
      authoritySource: intent.authoritySource ?? acceptedSources?.[0] ?? 'supplied',
      authorityValue: intent.authorityValue ?? value,
      agentValue: intent.agentValue ?? value,
    },
    facts: facts.map((known) =>
      known.kind === 'verified' && known.boundToDigest ? { kind: 'rejected', why: 'another digest' } : known,
    ),
  };
}

function supplyEvidence(
  { intent, facts, documents, nowMs }: Case,
  need: Remediation,
  byPerson: boolean,
): Case {
  const isAttested = need.assurance === 'attested';
  const signers = documents.flatMap((document) =>
    document.kind === 'EvidenceSource' && document.keys.keys.length > 0 ? [document.id] : [],
  );
  const listed = need.acceptedSources ?? (isAttested ? signers : ['supplied']);
  const own = listed.filter((id) => id !== 'review-desk' && (!isAttested || signers.includes(id)));
  const source =
    byPerson && listed.includes('review-desk') ? 'review-desk' : (own[0] ?? listed[0] ?? 'supplied');
  const isApproval = source === 'review-desk';
  const attested = isAttested || isApproval;
  const items = intent.controlEvidence ?? [];
  const item: EvidenceItem = {
    controlId: need.controlId!,
    source,
    result: 'PASS',
    checkedAt: new Date(nowMs).toISOString(),
    ...(isApproval ? { evidenceRef: `urn:writecheck:review:rev_supplied_${items.length}` } : {}),
    ...(attested && !isApproval ? { attestation: `jws-supplied-${items.length}` } : {}),
  };
  const known: AttestationChecks = attested
    ? {
        kind: 'verified',
        jti: `supplied-${items.length}`,
        checkedAtMs: nowMs,
        expiresAtMs: nowMs + 3_600_000,
        boundToDigest: true,
        boundToObject: false,
        revoked: false,
        usedUp: false,
        // Somebody else each time.
        ...(isApproval ? { approval: { by: [`supplier-${items.length}`], confirmsAuthority: true } } : {}),
      }
    : NO_ATTESTATION;
  return {
    documents,
    nowMs,
    intent: { ...intent, controlEvidence: [...items, item] },
    facts: [...facts, known],
  };
}
