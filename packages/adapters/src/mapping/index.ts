export { argumentsDigest } from './arguments-digest.ts';
export { type Mapping, type MappingResult, readMapping } from './read-mapping.ts';
export { toolMapOf } from './tool-map-of.ts';
