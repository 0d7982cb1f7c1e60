/** What a first bundle is written from: one rule, and tests that show what it does. */
export const FIRST_BUNDLE = `# Who may change a customer's e-mail address: somebody whose identity was checked in the last 15 minutes.
# Because the rule is about one field, it also asks for the authority: the caller has to look up, here in the
# customer master, that it holds the value that is to be written.
kind: ControlPack
id: core
controls:
  identity: { maxAge: 15m, sources: [okta] }
---
kind: Profile
id: customer-email
version: "1"
controlPack: core
match: { system: crm, objectType: customer, field: email }
require: [identity]
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
id: with one of the last 15 minutes it is allowed
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
`;
