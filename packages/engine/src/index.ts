export { decide } from './decide.ts';
export { type AttestationFacts, NO_ATTESTATION } from './evidence/facts.ts';
export * from './policy/documents.ts';
export * from './policy/snapshot.ts';
