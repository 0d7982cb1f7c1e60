/** Example intents, dated as if they had just been made. */
import { isObject, type JsonObject, type JsonValue, MINUTE_MS } from '@writecheck/contract';
import type { PolicyTestDocument } from '@writecheck/engine';

export interface Example {
  readonly name: string;
  readonly intent: JsonObject;
}

export function builtInExamples(nowMs: number): readonly Example[] {
  const ago = (minutes: number) =>
    new Date(nowMs - minutes * MINUTE_MS).toISOString().replace(/\.\d+Z$/, 'Z');
  const email = {
    system: 'crm',
    objectType: 'customer',
    objectRef: 'C-1001',
    field: 'email',
    agentValue: 'ada@example.com',
  };
  const identity = { controlId: 'identity', source: 'okta', result: 'PASS', checkedAt: ago(4) };
  const approval = {
    controlId: 'approval',
    source: 'service-desk',
    result: 'PASS',
    checkedAt: ago(35),
    evidenceRef: 'CHG-4711',
  };
  const iban = {
    system: 'erp',
    objectType: 'vendor',
    objectRef: 'V-2040',
    field: 'iban',
    authorityFound: true,
    authoritySource: 'vendor-master',
    authorityValue: 'DE89370400440532013000',
  };
  const both = ['identity', 'approval'];
  return [
    {
      name: 'Identity and approval are sent',
      intent: { ...email, requiredControls: both, controlEvidence: [identity, approval] },
    },
    {
      name: 'The approval is missing',
      intent: { ...email, requiredControls: both, controlEvidence: [identity] },
    },
    {
      name: 'The value differs from the authority’s',
      intent: {
        ...iban,
        agentValue: 'GB33BUKB20201555555555',
        requiredControls: ['identity'],
        controlEvidence: [identity],
      },
    },
    {
      name: 'One check passed and one failed',
      intent: {
        ...iban,
        agentValue: 'DE89370400440532013000',
        requiredControls: ['identity', 'fraud_screen'],
        controlEvidence: [
          identity,
          { controlId: 'fraud_screen', source: 'risk-engine', result: 'PASS', checkedAt: ago(2) },
          { controlId: 'fraud_screen', source: 'sanctions-list', result: 'FAIL', checkedAt: ago(900) },
        ],
      },
    },
    {
      name: 'An action instead of a field',
      intent: {
        system: 'payments',
        operation: 'refund.create',
        objectType: 'order',
        objectRef: 'O-7781',
        requiredControls: ['identity', 'customer_request'],
        controlEvidence: [
          identity,
          { controlId: 'customer_request', source: 'helpdesk', result: 'PASS', checkedAt: ago(180) },
        ],
        metadata: { agent: 'refund-bot', context: { amount: 129.9 } },
      },
    },
    {
      name: 'The workflow is not registered',
      intent: { ...email, workflowId: 'customer-care', controlEvidence: [identity] },
    },
  ];
}

/** The tests of the live bundle, with evidence times moved to today. */
export function examplesFromTests(documents: readonly unknown[], nowMs: number): readonly Example[] {
  return documents.filter(isTest).map(({ id, intent, now }) => {
    const byMs = nowMs - Date.parse(now);
    return { name: id, intent: movedEvidence(intent as JsonObject, byMs) };
  });
}

function isTest(document: unknown): document is PolicyTestDocument {
  const { kind, intent } = document as Partial<PolicyTestDocument>;
  return kind === 'PolicyTest' && isObject(intent);
}

function movedEvidence(intent: JsonObject, byMs: number): JsonObject {
  const items = intent.controlEvidence;
  if (!Array.isArray(items)) return intent;
  const moved = items.map((item: JsonValue) => {
    if (typeof item !== 'object' || item === null) return item;
    const dated = Object.entries(item).map(([name, value]): [string, JsonValue] => {
      const isTime = name === 'checkedAt' || name === 'expiresAt';
      const atMs = isTime && typeof value === 'string' ? Date.parse(value) : Number.NaN;
      return [name, Number.isNaN(atMs) ? value : new Date(atMs + byMs).toISOString()];
    });
    return Object.fromEntries(dated);
  });
  return { ...intent, controlEvidence: moved };
}
