/** Checks that every control requires at least what it required before. */
import { durationMs } from '@writecheck/contract';
import type { ControlDefinition, EvidenceSourceDocument, PolicyDocument } from '../policy/documents.ts';
import { exactPointerTo, quoted } from '../policy/faults.ts';
import { compareSources } from './compare-profiles.ts';
import { compareReviews } from './compare-reviews.ts';
import { factsOfFailingConditions } from './failing-conditions.ts';
import { type Finding, type Findings, findingsAbout } from './findings.ts';

interface Defined {
  readonly packId: string;
  readonly control: ControlDefinition;
}

export function compareControls(
  before: readonly PolicyDocument[],
  after: readonly PolicyDocument[],
  list: Finding[],
): void {
  const old = definedControls(before);
  const next = definedControls(after);
  const signers = after.filter(
    (document): document is EvidenceSourceDocument =>
      document.kind === 'EvidenceSource' && document.keys.keys.length > 0,
  );
  const failing = factsOfFailingConditions(before);
  for (const id of new Set([...old.keys(), ...next.keys()])) {
    // A control that no pack defines has the defaults, and a request may name any control.
    const was = old.get(id)?.control ?? {};
    const is = next.get(id)?.control ?? {};
    const packId = (next.get(id) ?? old.get(id))!.packId;
    const place = exactPointerTo('/controls', id);
    const findings = findingsAbout(list, 'ControlPack', packId, place, `control ${quoted(id)}: `);
    compareControl(was, is, signers, findings);
    if (JSON.stringify(was) !== JSON.stringify(is) && failing.has(id))
      findings.loosens(
        '',
        'a condition that could fail and pause the write reads its facts, and may find none now',
      );
  }
}

function definedControls(documents: readonly PolicyDocument[]): ReadonlyMap<string, Defined> {
  const controls = new Map<string, Defined>();
  for (const document of documents) {
    if (document.kind !== 'ControlPack') continue;
    for (const [id, control] of Object.entries(document.controls))
      controls.set(id, { packId: document.id, control });
  }
  return controls;
}

function compareControl(
  was: ControlDefinition,
  is: ControlDefinition,
  signers: readonly EvidenceSourceDocument[],
  findings: Findings,
): void {
  compareMaxAge(was, is, signers, findings);
  compareSources(was.sources ?? null, is.sources ?? null, '/sources', findings);
  type Member = 'assurance' | 'use' | 'bind' | 'onUnmet' | 'onFailed';
  const judge = (member: Member, strict: readonly unknown[], stricter: string, looser: string): void => {
    const wasStrict = strict.includes(was[member]);
    const isStrict = strict.includes(is[member]);
    if (wasStrict && !isStrict) findings.loosens(`/${member}`, looser);
    if (!wasStrict && isStrict) findings.tightens(`/${member}`, stricter);
  };
  judge('assurance', ['attested'], 'evidence must be attested now', 'evidence no longer has to be attested');
  judge('use', ['once'], 'an attestation now counts once', 'an attestation may be used again now');
  judge(
    'bind',
    [undefined],
    'an attestation must now be bound to the whole intent',
    'an attestation bound to the object alone is accepted now',
  );
  compareReviews(was, is, findings);
  judge('onUnmet', ['block'], 'it now blocks if unmet', 'it no longer blocks if unmet');
  judge('onFailed', ['block', undefined], 'it now blocks if failed', 'it no longer blocks if failed');
}

function compareMaxAge(
  was: ControlDefinition,
  is: ControlDefinition,
  signers: readonly EvidenceSourceDocument[],
  findings: Findings,
): void {
  if (was.maxAge === undefined && is.maxAge === undefined) return;
  if (is.maxAge === undefined) findings.loosens('/maxAge', 'evidence of any age is accepted now');
  else if (was.maxAge === undefined) {
    // Whatever the control requires, an attestation without `exp` is worthless unless there is a max age.
    const isSigned = signers.some(({ id }) => is.sources === undefined || is.sources.includes(id));
    if (was.assurance === 'attested' || isSigned) {
      findings.loosens('/maxAge', 'with its first max age, attestations that never expire are accepted');
    } else findings.tightens('/maxAge', `evidence may be ${is.maxAge} old at most`);
  } else if (durationMs(is.maxAge) > durationMs(was.maxAge)) {
    findings.loosens('/maxAge', `evidence may be ${is.maxAge} old instead of ${was.maxAge}`);
  } else if (durationMs(is.maxAge) < durationMs(was.maxAge)) {
    findings.tightens('/maxAge', `evidence may be ${is.maxAge} old instead of ${was.maxAge}`);
  }
}
