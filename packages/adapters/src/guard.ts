/** The guard that all adapters use, for a framework without an adapter here. */

export { callIdFrom } from './call-id.ts';
export {
  type GuardedCall,
  type GuardSettings,
  guardCall,
  type NamedCall,
  openReviewFor,
  type ReviewedCall,
  type ReviewMode,
  type StoppedCall,
  type ToolCall,
} from './guard-call.ts';
export { InvalidArguments } from './invalid-arguments.ts';
export { type CarriedIntent, withArguments } from './name-write.ts';
export { guardMapped, type IntentFromArgs, type MappedCall, type ToolMap } from './tool-map.ts';
