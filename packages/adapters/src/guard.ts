/** For a framework that has no adapter here: the guard that all of them are made of. */
export {
  type GuardedCall,
  type GuardSettings,
  guardCall,
  type StoppedCall,
  type ToolCall,
} from './guard-call.ts';
export { guardMapped, type IntentFromArgs, type MappedCall, type ToolMap } from './tool-map.ts';
