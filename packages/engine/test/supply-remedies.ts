/** Does mechanically what a decision's remediation asks for, where every entry says `supply`. */
import {
  type AttestationFacts,
  type EngineDecision,
  type EvidenceItem,
  NO_ATTESTATION,
  type Remediation,
} from '@writecheck/contract';
import type { Case } from './generate-intent.ts';

/** Null where something else than supplying is asked for. */
export function supplyRemedies(one: Case, { remediation }: EngineDecision): Case | null {
  if (remediation === undefined || remediation.some(({ action }) => action !== 'supply')) return null;
  const authority = remediation.find(
    ({ gate, controlId }) => gate === 'authority' && controlId === undefined,
  );
  const given = authority === undefined ? one : supplyAuthority(one, authority);
  return remediation.filter(({ controlId }) => controlId !== undefined).reduce(supplyEvidence, given);
}

/** Only what is absent is added. It changes the digest, so every attestation that was bound to the old one no longer verifies. */
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

function supplyEvidence({ intent, facts, documents, nowMs }: Case, need: Remediation): Case {
  const attested = need.assurance === 'attested';
  const signers = documents.flatMap((document) =>
    document.kind === 'EvidenceSource' && document.keys.keys.length > 0 ? [document.id] : [],
  );
  const accepted = need.acceptedSources ?? (attested ? signers : ['supplied']);
  const source =
    (attested ? accepted.find((id) => signers.includes(id)) : undefined) ?? accepted[0] ?? 'supplied';
  const items = intent.controlEvidence ?? [];
  const item: EvidenceItem = {
    controlId: need.controlId!,
    source,
    result: 'PASS',
    checkedAt: new Date(nowMs).toISOString(),
    ...(attested ? { attestation: `jws-supplied-${items.length}` } : {}),
  };
  const known: AttestationFacts = attested
    ? {
        kind: 'verified',
        jti: `supplied-${items.length}`,
        checkedAtMs: nowMs,
        expiresAtMs: nowMs + 3_600_000,
        boundToDigest: true,
        boundToObject: false,
        revoked: false,
        usedUp: false,
      }
    : NO_ATTESTATION;
  return {
    documents,
    nowMs,
    intent: { ...intent, controlEvidence: [...items, item] },
    facts: [...facts, known],
  };
}
