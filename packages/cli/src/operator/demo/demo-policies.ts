/** The policies of the demo workspace: the rules of a finance team for its agents. */

const CONTROLS = {
  identity: { maxAge: '15m', sources: ['okta', 'entra'] },
  fraud_screen: { maxAge: '1h', sources: ['riskd'], onFailed: 'block' },
  approval: { maxAge: '24h', assurance: 'attested', review: { identity: 'any' } },
  // Bank details decide where money goes, so a passkey must sign.
  finance_approval: { maxAge: '24h', assurance: 'attested', review: { identity: 'passkey' } },
  authority_confirmation: { assurance: 'attested', review: { identity: 'passkey' } },
  manager_approval: { assurance: 'attested', review: { identity: 'person' } },
};

/** `identityAge` is the age that the second revision shortens. */
export function demoPolicies(identityAge: string): readonly object[] {
  const controls = { ...CONTROLS, identity: { ...CONTROLS.identity, maxAge: identityAge } };
  const profile = (id: string, more: object) => ({ kind: 'Profile', id, version: '1', ...more });
  return [
    { kind: 'ControlPack', id: 'finance-core', version: '3', controls },
    profile('vendor-bank-details', {
      match: { system: 'erp', objectType: 'vendor', field: ['iban', 'account_number'] },
      require: ['identity', 'finance_approval'],
      authority: { required: true, sources: ['vendor-master'], confirmedBy: 'authority_confirmation' },
    }),
    profile('refunds', {
      match: { system: 'payments', operation: 'refund.*' },
      require: ['identity', 'fraud_screen'],
    }),
    profile('large-refunds', {
      match: { system: 'payments', operation: 'refund.*' },
      when: 'intent.metadata.context.amount > 500.0',
      require: ['approval'],
    }),
    profile('customer-email', {
      match: { system: 'crm', objectType: 'customer', field: 'email' },
      require: ['identity'],
      authority: { required: true, sources: ['customer-master'], confirmedBy: 'authority_confirmation' },
    }),
    profile('customer-notes', { match: { system: 'crm', field: 'note' }, permit: true }),
    profile('purchase-orders', { match: { system: 'procurement' }, require: ['identity'] }),
    profile('employees', { match: { system: 'hris' }, require: ['identity'] }),
    profile('job-titles', {
      match: { system: 'hris', field: 'job_title' },
      require: ['manager_approval'],
      writePolicy: 'observe',
    }),
    {
      kind: 'Limit',
      id: 'refunds-a-day',
      match: { system: 'payments', operation: 'refund.*' },
      by: ['intent.metadata.context.currency'],
      sum: 'intent.metadata.context.amount',
      max: 20_000,
      per: '24h',
      beyond: { require: ['approval'] },
    },
    { kind: 'Limit', id: 'writes-of-an-agent', by: ['key'], max: 60, per: '24h' },
    { kind: 'Defaults', unmatched: 'pause' },
    {
      kind: 'PolicyTest',
      id: 'a vendor change without approval pauses',
      now: '2026-11-15T12:00:00Z',
      intent: {
        system: 'erp',
        objectType: 'vendor',
        objectRef: 'V-1',
        field: 'iban',
        agentValue: 'DE1',
        authorityFound: true,
        authoritySource: 'vendor-master',
        authorityValue: 'DE1',
        controlEvidence: [
          { controlId: 'identity', source: 'okta', result: 'PASS', checkedAt: '2026-11-15T11:59:00Z' },
        ],
      },
      expect: { decision: 'pause', reason_code: 'CONTROL_EVIDENCE_MISSING' },
    },
  ];
}
