/** Checks that no new key or source may sign. */
import type { EvidenceSourceDocument, PublicJwk } from '../policy/documents.ts';
import { quoted } from '../policy/faults.ts';
import { type Finding, findingsAbout } from './findings.ts';

export function compareEvidenceSources(
  before: readonly EvidenceSourceDocument[],
  after: readonly EvidenceSourceDocument[],
  feedsFailing: (sourceId: string) => boolean,
  list: Finding[],
): void {
  const keysOf = (documents: readonly EvidenceSourceDocument[], id: string) =>
    documents.find((document) => document.id === id)?.keys.keys ?? [];
  for (const id of new Set([...before, ...after].map((document) => document.id))) {
    const findings = findingsAbout(list, 'EvidenceSource', id);
    const old = new Map(keysOf(before, id).map((key) => [identityOf(key), key]));
    keysOf(after, id).forEach((key, index) => {
      if (old.delete(identityOf(key))) return;
      findings.loosens(`/keys/keys/${index}`, `the key ${quoted(key.kid)} may sign as ${quoted(id)} now`);
    });
    for (const { kid } of old.values()) {
      const gone = `the key ${quoted(kid)} may no longer sign as ${quoted(id)}`;
      if (feedsFailing(id))
        findings.unclear('/keys/keys', `${gone}, and a condition that could fail and pause reads its facts`);
      else findings.tightens('/keys/keys', gone);
    }
  }
}

/** An attestation names its key by `kid`, so the same key under another `kid` is another key. */
function identityOf({ kty, crv, kid, x, y }: PublicJwk): string {
  return JSON.stringify([kty, crv, kid, x, y]);
}
