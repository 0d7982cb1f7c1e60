/**
 * A company with three agents, whose system of record is changed for thirty days, sometimes by bypassing the
 * service.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@writecheck/contract';
import { ask, check, signUp } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

const START_MS = Date.UTC(2026, 9, 1, 8);
const SECOND_MS = 1_000;
const DAYS = 30;

const DOCUMENTS = [
  {
    kind: 'ControlPack',
    id: 'core',
    version: '1',
    controls: { identity: {}, approval: { onFailed: 'block' } },
  },
  ...(['iban', 'terms'] as const).map((field) => ({
    ...{ kind: 'Profile', id: `vendor-${field}`, version: '1', controlPack: 'core' },
    match: { system: 'erp', objectType: 'vendor', field },
    require: field === 'iban' ? ['identity', 'approval'] : ['identity'],
  })),
  {
    ...{ kind: 'Profile', id: 'credit-limit', version: '1', controlPack: 'core', writePolicy: 'observe' },
    match: { system: 'erp', objectType: 'customer', field: 'credit_limit' },
    require: ['identity', 'approval'],
  },
];

export interface CompanyChange {
  readonly atMs: number;
  readonly objectType: string;
  readonly objectRef: string;
  readonly field: string;
  readonly newValue: string;
  readonly actor: string;
  /** The class that the report must give it. */
  readonly class: string;
}

export interface Company {
  readonly service: TestService;
  /** The changes in order of time. */
  readonly changes: readonly CompanyChange[];
  readonly decisions: number;
  readonly notCarriedOut: number;
  stop(): Promise<void>;
}

type Write = Pick<CompanyChange, 'objectType' | 'objectRef' | 'field' | 'newValue'>;
const PASS = { source: 'okta', result: 'PASS' };

function intentOf({ newValue, ...target }: Write, approval: 'PASS' | 'FAIL' | null): object {
  const approved = approval === null ? [] : [{ controlId: 'approval', ...PASS, result: approval }];
  return {
    ...{ system: 'ERP', ...target, agentValue: newValue },
    ...{ authorityFound: true, authorityValue: newValue, authoritySource: 'vendor-master' },
    controlEvidence: [{ controlId: 'identity', ...PASS }, ...approved],
  };
}

export async function simulateCompany(): Promise<Company> {
  let nowMs = START_MS;
  const service = await startTestService({ clock: () => nowMs });
  const applied = await ask(`${service.url}/v1/policies`, {
    ...{ method: 'PUT', key: service.ownerKey, json: { documents: DOCUMENTS } },
  });
  if (applied.status !== 200) throw new Error(applied.text);
  const stranger = await signUp(service);
  const { liveKey, developmentKey } = service;
  const changes: CompanyChange[] = [];
  let decisions = 0;
  let notCarriedOut = 0;

  async function decide(write: Write, approval: 'PASS' | 'FAIL' | null, key = liveKey) {
    const { body } = await check(service, intentOf(write, approval), { key });
    decisions += 1;
    nowMs += 2 * SECOND_MS;
    return body;
  }
  async function redeem({ decision_id, intentDigest }: { decision_id: string; intentDigest: string }) {
    const url = `${service.url}/v1/decisions/${decision_id}/redeem`;
    const { status } = await ask(url, { key: liveKey, json: { intentDigest } });
    if (status !== 200) throw new Error(`not redeemed: ${status}`);
  }
  function write(change: Write, actor: string, found: string, afterMs = 3 * SECOND_MS): void {
    changes.push({ ...change, atMs: nowMs + afterMs, actor, class: found });
  }

  for (let day = 0; day < DAYS; day += 1) {
    nowMs = START_MS + day * DAY_MS;
    const iban: Write = {
      ...{ objectType: 'vendor', objectRef: `V-${100 + day}`, field: 'iban' },
      newValue: `DE${10_000 + day}`,
    };
    // The agent of accounts payable redeems its writes; a lost response is fetched again, which is not a new
    // decision.
    const headers = { 'idempotency-key': `iban-${day}` };
    const first = await check(service, intentOf(iban, 'PASS'), { key: liveKey, headers });
    const again = await check(service, intentOf(iban, 'PASS'), { key: liveKey, headers });
    if (first.text !== again.text) throw new Error('not replayed');
    decisions += 1;
    await redeem(first.body);
    write(iban, 'ap-bot', 'redeemed');
    nowMs += MINUTE_MS;

    // The agent of procurement sends three checks together, and writes some minutes later.
    const terms = [1, 2, 3].map((i): Write => {
      const objectRef = `V-${200 + 3 * day + i}`;
      return { objectType: 'vendor', objectRef, field: 'terms', newValue: `NET${30 * i}` };
    });
    const checks = terms.map((each) => intentOf(each, null));
    await ask(`${service.url}/v1/check-write/batch`, { key: liveKey, json: { checks } });
    decisions += terms.length;
    for (const [i, each] of terms.entries()) {
      if (day % 10 === 4 && i === 2) notCarriedOut += 1;
      else write(each, 'terms-bot', 'allowed', (4 + i) * MINUTE_MS);
    }
    nowMs += HOUR_MS;

    // The rule for credit limits only observes; every tenth day the pilot writes with its development key.
    const limit: Write = {
      objectType: 'customer',
      objectRef: `C-${day}`,
      field: 'credit_limit',
      newValue: '5000',
    };
    await decide(limit, null, day % 10 === 0 ? developmentKey : liveKey);
    write(limit, 'pilot-bot', 'observed');
    nowMs += HOUR_MS;
    if (day % 10 === 5) {
      const trial: Write = {
        objectType: 'vendor',
        objectRef: `V-${900 + day}`,
        field: 'terms',
        newValue: 'NET10',
      };
      await decide(trial, null, developmentKey);
      write(trial, 'pilot-bot', 'development');
    }
    nowMs += HOUR_MS;
    await bypass(day, iban);
  }

  /** Bypasses that must be found, on the days on which they happen. */
  async function bypass(day: number, asked: Write): Promise<void> {
    const target: Write = { ...asked, objectRef: `V-${300 + day}` };
    switch (day) {
      case 3:
        await decide(target, null);
        return write(target, 'ap-bot', 'after_pause', 20 * MINUTE_MS);
      case 7:
        await decide(target, 'FAIL');
        return write(target, 'ap-bot', 'after_block');
      case 11:
        await decide(target, 'PASS');
        notCarriedOut += 1;
        return write({ ...target, newValue: 'DE99999' }, 'ap-bot', 'other_value');
      case 14:
        await decide(target, 'PASS');
        return write(target, 'ap-bot', 'late', 3 * HOUR_MS);
      case 18:
        // Somebody else's workspace allowed the very same write.
        await check(service, intentOf(target, 'PASS'), { key: stranger.developmentKey });
        return write(target, 'dba-tom', 'nobody_asked');
      case 21:
        // One allow, two writes.
        await decide(target, 'PASS');
        write(target, 'ap-bot', 'allowed');
        return write(target, 'ap-bot', 'nobody_asked', MINUTE_MS);
      case 26:
        return write({ ...target, field: 'payment_block', newValue: '' }, 'dba-tom', 'nobody_asked');
      default:
        return;
    }
  }
  changes.sort((a, b) => a.atMs - b.atMs);
  return { service, changes, decisions, notCarriedOut, stop: () => service.stop() };
}

/** Writes changes as an ERP would export them: with its own names, and no line says who owns the vendor. */
export function changesCsv(changes: readonly CompanyChange[]): string {
  const rows = changes.map(({ atMs, objectType, objectRef, field, newValue, actor }) =>
    [
      new Date(atMs).toISOString(),
      objectType.toUpperCase(),
      objectRef,
      field.toUpperCase(),
      `"${newValue}"`,
      actor,
    ].join(','),
  );
  return ['time,objectType,objectRef,field,newValue,actor', ...rows, ''].join('\r\n');
}
