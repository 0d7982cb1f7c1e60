/** The bundle `writecheck policy init --authzen` writes: permits for enforcement points that speak AuthZEN. */

export const AUTHZEN_STARTER = `# What an enforcement point may let through. It sends no evidence, so each kind of request that needs none is a permit.
# The properties of subject, action and resource are the enforcement point's word: let only one you trust have a key.
kind: Profile
id: members-read-records
match: { system: authzen, objectType: record, operation: read }
when: intent.metadata.context.subject.properties.role in ["member", "admin"]
permit: true
---
# A rule about one object names it in its condition.
kind: Profile
id: everybody-reads-the-handbook
match: { system: authzen, objectType: record, operation: read }
when: intent.objectRef == "handbook"
permit: true
---
# If the request leaves out a path that the condition reads, the permit does not apply.
kind: Profile
id: admins-write-open-records
match: { system: authzen, objectType: record, operation: write }
when: intent.metadata.context.subject.properties.role == "admin" && intent.metadata.context.resource.properties.status == "open"
permit: true
---
# Deleting needs a person. The answer is false and has \`context.review\`; see docs/authzen.md.
kind: Profile
id: deletions
match: { system: authzen, objectType: record, operation: delete }
require: [approval]
---
kind: ControlPack
id: authzen
controls:
  # \`identity: any\` lets an owner key approve; say \`person\` or \`passkey\` once you have invited people.
  approval: { sources: [review-desk], assurance: attested, review: { identity: any } }
---
# Everything else pauses, so its decision is false. Members of \`context\` are read only if they are listed here, as
# intent.metadata.context.request.NAME; list nothing that differs between two attempts at the same request.
kind: Defaults
unmatched: pause
authzenContext: []
---
kind: PolicyTest
id: a member reads a record
now: "2026-11-15T12:00:00Z"
intent:
  system: authzen
  objectType: record
  objectRef: record-7
  operation: read
  metadata: { agent: ada, context: { subject: { type: user, id: ada, properties: { role: member } } } }
expect: { decision: allow, reason_code: requirements_met }
---
kind: PolicyTest
id: somebody without a role reads the handbook and nothing else
now: "2026-11-15T12:00:00Z"
intent:
  system: authzen
  objectType: record
  objectRef: handbook
  operation: read
  metadata: { agent: bob, context: { subject: { type: user, id: bob } } }
expect: { decision: allow }
---
kind: PolicyTest
id: an admin does not write to a record whose status was not sent
now: "2026-11-15T12:00:00Z"
intent:
  system: authzen
  objectType: record
  objectRef: record-7
  operation: write
  metadata: { agent: eve, context: { subject: { type: user, id: eve, properties: { role: admin } } } }
expect: { decision: pause, reason_code: policy_unmatched }
---
kind: PolicyTest
id: a deletion waits for a person
now: "2026-11-15T12:00:00Z"
intent:
  system: authzen
  objectType: record
  objectRef: record-7
  operation: delete
  metadata: { agent: eve, context: { subject: { type: user, id: eve, properties: { role: admin } } } }
expect: { decision: pause, codes: { approval: CONTROL_EVIDENCE_MISSING } }
`;
