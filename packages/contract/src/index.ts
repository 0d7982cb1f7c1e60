export * from './canonical-json.ts';
export * from './decision.ts';
export * from './decision-response.ts';
export * from './error-catalogue.ts';
export * from './instants.ts';
export * from './intent-digest.ts';
export { isoTime } from './iso-time.ts';
export { pointerTo } from './json-pointer.ts';
export * from './limits.ts';
export * from './parse-batch.ts';
export type { Fault } from './parse-findings.ts';
export {
  type IntentFaultCode,
  intentFromValue,
  type ParsedIntent,
  parseIntent,
  type RefusedIntent,
} from './parse-intent.ts';
export * from './problem.ts';
export * from './reason-catalogue.ts';
export { actionRequestSchema } from './schemas/action-request-v1.ts';
export { decisionSchema } from './schemas/decision-v1.ts';
export type { JsonSchema } from './schemas/request-members.ts';
export { writeIntentSchema } from './schemas/write-intent-v1.ts';
export { shortened } from './shown-input.ts';
export { parseStrictJson, type StrictJson } from './strict-json.ts';
export * from './vocabulary.ts';
export * from './write-intent.ts';
