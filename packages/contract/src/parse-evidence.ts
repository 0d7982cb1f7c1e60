/** Parses `controlEvidence`: what the caller shows for its controls. */
import {
  ATTESTATION_BYTES_MAX,
  ATTESTED_ITEMS_MAX,
  EVIDENCE_ITEMS_MAX,
  EVIDENCE_REF_CHARACTERS_MAX,
  RESULT_CHARACTERS_MAX,
} from './limits.ts';
import { knownNames } from './member-spelling.ts';
import { type Findings, findUnknownMembers, note } from './parse-findings.ts';
import {
  isLeftOut,
  isObject,
  kindOf,
  readBytes,
  readCharacters,
  readControlId,
  readInstant,
  readName,
} from './read-member.ts';
import type { EvidenceItem } from './write-intent.ts';

export const REQUIRED_ITEM_MEMBERS = ['controlId', 'source', 'result'] as const;
export const OPTIONAL_ITEM_MEMBERS = ['checkedAt', 'expiresAt', 'evidenceRef', 'attestation'] as const;
const KNOWN_MEMBERS = knownNames([...REQUIRED_ITEM_MEMBERS, ...OPTIONAL_ITEM_MEMBERS]);

type UncheckedItem = { -readonly [member in keyof EvidenceItem]: EvidenceItem[member] | undefined };

/** INVARIANT: what it returns is good only if it noted no fault. */
export function parseEvidence(value: unknown, findings: Findings): readonly EvidenceItem[] | undefined {
  if (isLeftOut(value)) return undefined;
  if (!Array.isArray(value)) {
    note(findings, '', 'controlEvidence', `must be an array, not ${kindOf(value)}`);
    return undefined;
  }
  if (value.length > EVIDENCE_ITEMS_MAX) {
    // One fault says it: the items beyond the limit are not looked at.
    const message = `has ${value.length} items, at most ${EVIDENCE_ITEMS_MAX} are allowed`;
    note(findings, '', 'controlEvidence', message);
  }
  const items: EvidenceItem[] = [];
  let attested = 0;
  for (let index = 0; index < Math.min(value.length, EVIDENCE_ITEMS_MAX); index += 1) {
    const item = parseItem(value[index], findings, `/controlEvidence/${index}`);
    if (item === undefined) continue;
    if (item.attestation !== undefined) attested += 1;
    items.push(item);
  }
  if (attested > ATTESTED_ITEMS_MAX) {
    const message = `has ${attested} attested items, at most ${ATTESTED_ITEMS_MAX} are allowed`;
    note(findings, '', 'controlEvidence', message);
  }
  return items;
}

function parseItem(value: unknown, findings: Findings, pointer: string): EvidenceItem | undefined {
  if (!isObject(value)) {
    findings.otherFaults.push({ pointer, message: `must be an object, not ${kindOf(value)}` });
    return undefined;
  }
  findUnknownMembers(value, KNOWN_MEMBERS, pointer, findings);
  for (const member of REQUIRED_ITEM_MEMBERS) {
    if (isLeftOut(value[member])) note(findings, pointer, member, 'is required');
  }
  const item: UncheckedItem = {
    controlId: readControlId(value.controlId, findings, pointer, 'controlId'),
    source: readName(value.source, findings, pointer, 'source'),
    result: readCharacters(value.result, RESULT_CHARACTERS_MAX, findings, pointer, 'result'),
  };
  const checkedAt = readInstant(value.checkedAt, 'its age counts as unknown', findings, pointer, 'checkedAt');
  if (checkedAt !== undefined) item.checkedAt = checkedAt;
  const expiresAt = readInstant(value.expiresAt, 'it counts as past', findings, pointer, 'expiresAt');
  if (expiresAt !== undefined) item.expiresAt = expiresAt;
  const evidenceRef = readCharacters(
    value.evidenceRef,
    EVIDENCE_REF_CHARACTERS_MAX,
    findings,
    pointer,
    'evidenceRef',
  );
  if (evidenceRef !== undefined) item.evidenceRef = evidenceRef;
  const attestation = readBytes(value.attestation, ATTESTATION_BYTES_MAX, findings, pointer, 'attestation');
  if (attestation !== undefined) item.attestation = attestation;
  return item as EvidenceItem;
}
