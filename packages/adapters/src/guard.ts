/** For a framework that has no adapter here: the guard that all of them are made of. */
export { callIdFrom, callIdHere } from './call-id.ts';
export {
  type GuardedCall,
  type GuardSettings,
  guardCall,
  type NamedCall,
  type StoppedCall,
  type ToolCall,
} from './guard-call.ts';
export { InvalidArguments } from './invalid-arguments.ts';
export { guardMapped, type IntentFromArgs, type MappedCall, type ToolMap } from './tool-map.ts';
