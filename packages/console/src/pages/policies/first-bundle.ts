/** The example for a first bundle: two rules, one of which a person decides, and tests that show what they do. */
export const FIRST_BUNDLE = `# Refunds over 100 wait for a person: a reviewer, or whoever has
# an owner key. Changing a customer's e-mail address requires an
# identity check from the last 15 minutes, and authority: the
# caller looks up the value in the system of record (here the
# customer master) and sends what it found.
kind: ControlPack
id: core
controls:
  identity: { maxAge: 15m, sources: [okta] }
  refund_approval:
    sources: [review-desk]
    assurance: attested
    review: { identity: any }
---
kind: Profile
id: customer-email
version: "1"
controlPack: core
match: { system: crm, objectType: customer, field: email }
absent: skip # a write with an operation and no field goes by the next rule
authority: required
require: [identity]
---
kind: Profile
id: crm-operations
version: "1"
controlPack: core
match: { system: crm, operation: "*" }
absent: skip
require: [identity]
---
kind: Profile
id: refunds
version: "1"
controlPack: core
match: { system: payments, operation: refund.* }
when: intent.metadata.context.amount > 100.0
require: [refund_approval]
---
kind: PolicyTest
id: without an identity check the write pauses
now: "2026-11-15T12:00:00Z"
intent:
  system: crm
  objectType: customer
  objectRef: C-1
  field: email
  agentValue: ada@example.com
  authorityFound: true
  authoritySource: customer-master
  authorityValue: ada@example.com
expect: { decision: pause, reason_code: CONTROL_EVIDENCE_MISSING }
---
kind: PolicyTest
id: with an identity check from the last 15 minutes the write is allowed
now: "2026-11-15T12:00:00Z"
intent:
  system: crm
  objectType: customer
  objectRef: C-1
  field: email
  agentValue: ada@example.com
  authorityFound: true
  authoritySource: customer-master
  authorityValue: ada@example.com
  controlEvidence:
    - { controlId: identity, source: okta, result: PASS, checkedAt: "2026-11-15T11:50:00Z" }
expect: { decision: allow }
---
kind: PolicyTest
id: a refund over 100 waits for a person
now: "2026-11-15T12:00:00Z"
intent:
  system: payments
  operation: refund.create
  objectType: order
  objectRef: O-1
  metadata: { context: { amount: 129.9 } }
expect: { decision: pause, reason_code: CONTROL_EVIDENCE_MISSING }
`;
