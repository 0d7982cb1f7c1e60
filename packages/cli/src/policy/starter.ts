/** The bundle `writecheck policy init` writes: three kinds of write that go wrong in practice, each with tests. */
import type { KeyPair } from './evidence-key.ts';

export const SCHEMA_LINE = '# yaml-language-server: $schema=./policy.schema.json\n';

export const SIGNER = 'approval-desk';
/** Beside the policies, never among them: that folder ends up in images, config maps and the service. */
export const PRIVATE_KEY_FILE = `${SIGNER}/private.jwk`;

export function starterFiles({ publicJwk }: KeyPair): { readonly [file: string]: string } {
  const key = `{ kty: ${publicJwk.kty}, crv: ${publicJwk.crv}, kid: "${publicJwk.kid}", x: "${publicJwk.x}" }`;
  return {
    'controls.yaml': SCHEMA_LINE + controls(key),
    'vendor-bank-details.yaml': SCHEMA_LINE + VENDOR_BANK_DETAILS,
    'customer-email.yaml': SCHEMA_LINE + CUSTOMER_EMAIL,
    'refund.yaml': SCHEMA_LINE + REFUND,
  };
}

function controls(key: string) {
  return `# What evidence must be like. A control id is defined once; profiles and workflows refer to it.
# Without \`assurance: attested\` evidence is the caller's word: enough for a program that you trust to run the check.
kind: ControlPack
id: core
version: "1"
controls:
  # Who asks: a recent check by one of these identity providers.
  identity: { maxAge: 15m, sources: [okta, entra] }
  # A person said yes to this very write, good for one allow: in a review, or signed by the approval desk.
  # \`identity: any\` lets an owner key approve; say \`person\` or \`passkey\` once you have invited people.
  approval: { sources: [${SIGNER}], assurance: attested, use: once, review: { identity: any } }
  # The customer asked for the change: a ticket not older than a day.
  customer_request: { maxAge: 24h, sources: [helpdesk] }
  # A fraud check. A missing one blocks instead of pausing.
  fraud_screen: { maxAge: 10m, sources: [risk-engine], onUnmet: block }
---
# Who may sign. The private half is in ../${PRIVATE_KEY_FILE}: it belongs to the approval desk and nowhere else.
# To rotate: add the new key, sign with it, then remove the old one.
kind: EvidenceSource
id: ${SIGNER}
keys:
  keys:
    - ${key}
---
# What no profile covers pauses. Add a profile for each kind of write that an agent may make.
kind: Defaults
writePolicy: enforce
unmatched: pause
---
kind: PolicyTest
id: a write that no profile covers pauses, whatever the caller claims
now: "2026-11-15T12:00:00Z"
intent:
  system: hris
  objectType: employee
  objectRef: E-7
  field: salary
  agentValue: "99999"
  authorityFound: true
  authorityValue: "99999"
  workflowId: vendor-onboarding
  requiredControls: [mine]
  controlEvidence:
    - { controlId: mine, source: me, result: PASS }
    - { controlId: fraud_screen, source: risk-engine, result: PASS, checkedAt: "2026-11-15T11:59:00Z" }
expect: { decision: pause, reason_code: policy_unmatched }
`;
}

const VENDOR_BANK_DETAILS = `# Bank details of vendors in the ERP: the classic target of payment fraud.
kind: Profile
id: vendor-bank-details
version: "1"
controlPack: core
match: { system: erp, objectType: vendor, field: [iban, bic, account_number] }
require: [identity, approval]
# The vendor master's value must be sent too. If it is the same, nothing is left to confirm. A new one nobody has yet:
# then a person confirms the difference, in the review that approves the write. Spaces at the ends do not matter.
authority: { required: true, sources: [vendor-master], confirmedBy: approval }
compare: trimmed
---
# Registering a workflow lets agents name it; its requirements come on top of what the profiles say.
kind: Workflow
id: vendor-onboarding
profiles: [vendor-bank-details]
require: [fraud_screen]
---
kind: PolicyTest
id: a vendor's IBAN with identity, approval and the right value is allowed
now: "2026-11-15T12:00:00Z"
intent:
  system: erp
  objectType: vendor
  objectRef: V-1001
  field: iban
  agentValue: "DE89370400440532013000 "
  authorityFound: true
  authoritySource: vendor-master
  authorityValue: DE89370400440532013000
  controlEvidence:
    - { controlId: identity, source: okta, result: PASS, checkedAt: "2026-11-15T11:50:00Z" }
    # In tests \`test:signed\` stands for a valid signature.
    - { controlId: approval, source: ${SIGNER}, result: PASS, attestation: test:signed }
expect: { decision: allow, reason_code: requirements_met }
---
kind: PolicyTest
id: an IBAN that the vendor master does not have pauses, even with a signed approval
now: "2026-11-15T12:00:00Z"
intent:
  system: erp
  objectType: vendor
  objectRef: V-1001
  field: iban
  agentValue: GB33BUKB20201555555555
  authorityFound: true
  authoritySource: vendor-master
  authorityValue: DE89370400440532013000
  controlEvidence:
    - { controlId: identity, source: okta, result: PASS, checkedAt: "2026-11-15T11:50:00Z" }
    - { controlId: approval, source: ${SIGNER}, result: PASS, attestation: test:signed }
expect: { decision: pause, reason_code: authority_mismatch }
---
kind: PolicyTest
id: a new IBAN that a person confirmed in a review is allowed
now: "2026-11-15T12:00:00Z"
intent:
  system: erp
  objectType: vendor
  objectRef: V-1001
  field: iban
  agentValue: GB33BUKB20201555555555
  authorityFound: true
  authoritySource: vendor-master
  authorityValue: DE89370400440532013000
  controlEvidence:
    - { controlId: identity, source: okta, result: PASS, checkedAt: "2026-11-15T11:50:00Z" }
    - { controlId: approval, source: review-desk, result: PASS, attestation: test:signed }
expect: { decision: allow, reason_code: requirements_met }
---
kind: PolicyTest
id: an approval that nobody signed is not one
now: "2026-11-15T12:00:00Z"
intent:
  system: erp
  objectType: vendor
  objectRef: V-1001
  field: iban
  agentValue: DE89370400440532013000
  authorityFound: true
  authoritySource: vendor-master
  authorityValue: DE89370400440532013000
  controlEvidence:
    - { controlId: identity, source: okta, result: PASS, checkedAt: "2026-11-15T11:50:00Z" }
    - { controlId: approval, source: ${SIGNER}, result: PASS }
expect:
  decision: pause
  codes: { identity: CONTROL_SATISFIED, approval: CONTROL_EVIDENCE_UNTRUSTED }
---
kind: PolicyTest
id: onboarding without a fraud check is blocked
now: "2026-11-15T12:00:00Z"
intent:
  system: erp
  objectType: vendor
  objectRef: V-1002
  field: iban
  agentValue: DE89370400440532013000
  authorityFound: true
  authoritySource: vendor-master
  authorityValue: DE89370400440532013000
  workflowId: vendor-onboarding
  controlEvidence:
    - { controlId: identity, source: entra, result: PASS, checkedAt: "2026-11-15T11:59:00Z" }
    - { controlId: approval, source: ${SIGNER}, result: PASS, attestation: test:signed }
expect: { decision: block, codes: { fraud_screen: CONTROL_EVIDENCE_MISSING } }
`;

const CUSTOMER_EMAIL = `# E-mail addresses of customers in the CRM: anyone who changes one can reset a password.
kind: Profile
id: customer-email
version: "1"
controlPack: core
match: { system: crm, objectType: customer, field: email }
require: [identity, customer_request]
authority: required
compare: caseless
---
kind: PolicyTest
id: an e-mail the customer asked for is changed
now: "2026-11-15T12:00:00Z"
intent:
  system: crm
  objectType: customer
  objectRef: C-42
  field: email
  agentValue: Ada@example.com
  authorityFound: true
  authoritySource: helpdesk
  authorityValue: ada@example.com
  controlEvidence:
    - { controlId: identity, source: okta, result: PASS, checkedAt: "2026-11-15T11:58:00Z" }
    - { controlId: customer_request, source: helpdesk, result: PASS, checkedAt: "2026-11-15T08:00:00Z" }
expect: { decision: allow }
---
kind: PolicyTest
id: a request of last week is too old
now: "2026-11-15T12:00:00Z"
intent:
  system: crm
  objectType: customer
  objectRef: C-42
  field: email
  agentValue: ada@example.com
  authorityFound: true
  authorityValue: ada@example.com
  controlEvidence:
    - { controlId: identity, source: okta, result: PASS, checkedAt: "2026-11-15T11:58:00Z" }
    - { controlId: customer_request, source: helpdesk, result: PASS, checkedAt: "2026-11-08T08:00:00Z" }
expect: { decision: pause, codes: { customer_request: CONTROL_EVIDENCE_STALE } }
`;

const REFUND = `# Refunds in the payment system: an action, not a field. Small ones need the customer's request, large ones approval.
kind: Profile
id: refund
version: "1"
controlPack: core
match: { system: payments, operation: refund.create }
require: [identity, customer_request]
---
kind: Profile
id: large-refund
version: "1"
controlPack: core
match: { system: payments, operation: refund.create }
# An amount that is missing, or is not a number, counts as large: omitting it does not avoid the rule.
when: intent.metadata.context.amount > 500.0
require: [approval, fraud_screen]
# To observe it first: record what it would decide, and enforce it only from the date on.
# writePolicy: observe
# observeUntil: "2027-01-01T00:00:00Z"
---
kind: PolicyTest
id: a small refund needs no approval
now: "2026-11-15T12:00:00Z"
intent:
  system: payments
  operation: refund.create
  objectRef: PAY-7
  metadata: { context: { amount: 49.9 } }
  controlEvidence:
    - { controlId: identity, source: okta, result: PASS, checkedAt: "2026-11-15T11:58:00Z" }
    - { controlId: customer_request, source: helpdesk, result: PASS, checkedAt: "2026-11-15T11:00:00Z" }
expect: { decision: allow }
---
kind: PolicyTest
id: a large refund without approval and fraud check is blocked
now: "2026-11-15T12:00:00Z"
intent:
  system: payments
  operation: refund.create
  objectRef: PAY-8
  metadata: { context: { amount: 5000 } }
  controlEvidence:
    - { controlId: identity, source: okta, result: PASS, checkedAt: "2026-11-15T11:58:00Z" }
    - { controlId: customer_request, source: helpdesk, result: PASS, checkedAt: "2026-11-15T11:00:00Z" }
expect:
  decision: block
  reason_code: CONTROL_EVIDENCE_MISSING
  codes: { approval: CONTROL_EVIDENCE_MISSING, fraud_screen: CONTROL_EVIDENCE_MISSING }
---
kind: PolicyTest
id: an amount nobody states counts as large
now: "2026-11-15T12:00:00Z"
intent:
  system: payments
  operation: refund.create
  objectRef: PAY-9
  controlEvidence:
    - { controlId: identity, source: okta, result: PASS, checkedAt: "2026-11-15T11:58:00Z" }
    - { controlId: customer_request, source: helpdesk, result: PASS, checkedAt: "2026-11-15T11:00:00Z" }
expect: { decision: block }
`;
