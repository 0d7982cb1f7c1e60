/** A strict TypeScript program that uses every typed export without a framework; compiled, never run. */
import { createPrivateKey, webcrypto } from 'node:crypto';
import * as claude from '@writecheck/adapters/claude';
import * as guard from '@writecheck/adapters/guard';
import * as mapping from '@writecheck/adapters/mapping';
import {
  type AllowDecision,
  createClient,
  type GuardOutcome,
  isLocalDecision,
  type WriteDecision,
  type WriteIntent,
} from '@writecheck/client';
import { type EvidenceToSign, type SignedEvidence, signEvidence } from '@writecheck/client/evidence';
import { type ReceiptVerdict, verifyReceipt } from '@writecheck/client/receipt';
import { intentDigest, parseIntent } from '@writecheck/contract';
import { compile, decide } from '@writecheck/engine';
import { parsePolicyYaml } from '@writecheck/engine/policy-yaml';
import { parseReceipt } from '@writecheck/ledger';

const intent: WriteIntent = {
  system: 'crm',
  operation: 'contact.update',
  metadata: { agent: 'a', context: { n: 1 } },
};
const client = createClient({ apiKey: 'k', baseUrl: 'http://x', timeoutMs: 2000 });

export async function ask(): Promise<number | string> {
  const decision: WriteDecision = await client.checkWrite(intent);
  if (isLocalDecision(decision)) return decision.cause.message;
  if (decision.decision === 'allow') {
    const allow: AllowDecision = decision;
    const yes: true = allow.allowed;
    void yes;
  }
  // @ts-expect-error a decision is one of three words
  void (decision.decision === 'maybe');
  const outcome: GuardOutcome<number> = await client.guardWrite(intent, async () => 5, { unprotected: true });
  if (outcome.executed) return outcome.result;
  // @ts-expect-error there is no result when nothing was executed
  void outcome.result;
  return outcome.decision.reason;
}

type Unsigned = Omit<EvidenceToSign, 'key'>;
const evidence: Unsigned = {
  kid: 'k',
  source: 's',
  workspace: 'w',
  controlId: 'c',
  result: 'PASS',
  intent,
};
export async function sign(key: webcrypto.CryptoKey): Promise<SignedEvidence> {
  await signEvidence({ ...evidence, key: await webcrypto.subtle.exportKey('jwk', key) });
  await signEvidence({ ...evidence, key: { kty: 'OKP', crv: 'Ed25519', x: '', d: '' } });
  // @ts-expect-error an API key does not sign evidence
  await signEvidence({ ...evidence, key: 'wck_dev_none' });
  // @ts-expect-error a KeyObject is not a key of WebCrypto
  await signEvidence({ ...evidence, key: createPrivateKey('') });
  // @ts-expect-error a key is needed
  await signEvidence(evidence);
  // @ts-expect-error bytes are not a key of WebCrypto
  await signEvidence({ ...evidence, key: new Uint8Array(32) });
  return signEvidence({ ...evidence, key });
}

export const verdict: Promise<ReceiptVerdict> = verifyReceipt({
  receipt: {},
  intent,
  keys: [],
  workspace: 'w',
  now: 0,
});

export function decideHere(text: string): string {
  const parsed = parseIntent(new TextEncoder().encode(text));
  const yaml = parsePolicyYaml('');
  if (parsed.kind === 'refused' || yaml.kind === 'faults') return 'refused';
  const compiled = compile(yaml.documents);
  if (compiled.kind === 'invalid') return compiled.faults.map(({ message }) => message).join();
  return decide(parsed.intent, [], compiled.snapshot, 0).decision + intentDigest(parsed.intent);
}

export const isReceipt = (value: unknown): boolean => parseReceipt(value) !== null;

export { claude, guard, mapping };
