/** Runs the example: `npm run invoice-lines -w writecheck-examples`. */
import { pay } from './agent.ts';
import { startSetting } from './setting.ts';

const { erp, client, alone, stop } = await startSetting();
/** An agent that signs for itself has no key that the policy knows. */
const INVENTED = { controlId: 'invoice', source: 'erp-reader', result: 'PASS', facts: { rows: [] } };

const cases = [
  ['pays what the lines add up to', client, { invoice: 'INV-1', amount: 1000.5 }],
  ['says another amount', client, { invoice: 'INV-1', amount: 10_000.5 }],
  ['pays a large line without a purchase order', client, { invoice: 'INV-2', amount: 999 }],
  ['brings no facts', alone, { invoice: 'INV-1', amount: 1000.5 }],
  ['makes up facts', alone, { invoice: 'INV-1', amount: 0, evidence: [INVENTED] }],
] as const;

try {
  for (const [what, asking, payment] of cases) {
    const { executed, said } = await pay(asking, erp, payment);
    console.log(`\nthe agent ${what}\n  ${executed ? 'paid' : 'stopped'}: ${said}`);
  }
} finally {
  await stop();
}
