/** `npm run bench -- facts`: a permit that reads 100 signed invoice lines, against an attested approval, in processor time. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { intentDigest } from '@writecheck/contract';
import { type CheckKit, intentOf, openKit } from '../../packages/service/test/check-kit.ts';
import { atMost, median, type Row } from './report.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const CHECKS = 400;
const AT_ONCE = 64;
const READER = generateKeyPairSync('ed25519');

const POLICY = [
  {
    kind: 'ControlPack',
    id: 'payments',
    controls: {
      invoice: { facts: true, maxAge: '5m', sources: ['reader'], assurance: 'attested', bind: 'object' },
      approval: { maxAge: '5m', sources: ['reader'], assurance: 'attested' },
    },
  },
  {
    kind: 'EvidenceSource',
    id: 'reader',
    keys: { keys: [{ ...READER.publicKey.export({ format: 'jwk' }), kid: 'k1' }] },
  },
  {
    kind: 'Profile',
    id: 'pay-what-the-lines-say',
    match: { system: 'erp', operation: 'invoice.pay' },
    when: 'facts.invoice.rows.map(line, line.amount).sum() == intent.metadata.context.amount && facts.invoice.rows.all(line, has(line.purchaseOrder) || line.amount <= 500.0)',
    permit: true,
  },
  {
    kind: 'Profile',
    id: 'approved',
    match: { system: 'erp', operation: 'invoice.approve' },
    require: ['approval'],
  },
];

const LINES = Array.from({ length: 100 }, (_, i) => ({
  line: i + 1,
  article: `A-${1000 + i}`,
  amount: i + 0.25,
  ...(i % 3 === 0 ? { purchaseOrder: `PO-${i}` } : {}),
}));
const AMOUNT = LINES.reduce((sum, { amount }) => sum + amount, 0);

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A write with a unique item, so that nothing can be cached from another write. */
function written(kit: CheckKit, number: number, control: 'invoice' | 'approval'): object {
  const target = { system: 'erp', objectType: 'invoice', objectRef: `INV-${number}` };
  const intent = intentOf({
    ...target,
    field: undefined,
    agentValue: undefined,
    operation: control === 'invoice' ? 'invoice.pay' : 'invoice.approve',
    metadata: { context: { amount: AMOUNT } },
    requiredControls: undefined,
    controlEvidence: undefined,
  });
  const bound =
    control === 'invoice' ? { ...target, facts: { rows: LINES } } : { intentDigest: intentDigest(intent) };
  const checkedAt = new Date(kit.clockMs).toISOString();
  const claims = {
    aud: kit.workspace,
    jti: `j-${control}-${number}`,
    controlId: control,
    result: 'PASS',
    checkedAt,
  };
  const signed = `${part({ alg: 'EdDSA', kid: 'k1', typ: 'writecheck-evidence+jws' })}.${part({ ...claims, ...bound })}`;
  const attestation = `${signed}.${sign(null, Buffer.from(signed), READER.privateKey).toString('base64url')}`;
  return {
    ...intent,
    controlEvidence: [{ controlId: control, source: 'reader', result: 'PASS', attestation }],
  };
}

/** Processor time of all threads for one check, in microseconds. */
async function costOf(kit: CheckKit, writes: readonly object[]): Promise<number> {
  const before = process.cpuUsage();
  for (let at = 0; at < writes.length; at += AT_ONCE) {
    const answers = await Promise.all(writes.slice(at, at + AT_ONCE).map((write) => kit.ask(write)));
    for (const { json, text } of answers) if (json.decision !== 'allow') throw new Error(`no allow: ${text}`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / writes.length;
}

export async function benchFacts(): Promise<readonly Row[]> {
  const kit = await openKit();
  await kit.applyPolicy(POLICY);
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const numbers = Array.from({ length: CHECKS }, (_, i) => round * CHECKS + i);
    const permits = numbers.map((number) => written(kit, number, 'invoice'));
    const approvals = numbers.map((number) => written(kit, number, 'approval'));
    const approval = await costOf(kit, approvals);
    const permit = await costOf(kit, permits);
    console.log(
      `approval ${approval.toFixed(0)} us, permit over 100 lines ${permit.toFixed(0)} us of CPU time each`,
    );
    // The first rounds warm up.
    if (round >= 2) ratios.push(permit / approval);
  }
  await kit.close();
  return [
    atMost(
      'a permit over 100 signed invoice lines / an attested approval, processor time',
      median(ratios),
      2.5,
      1.5,
    ),
  ];
}
