export * from './decision.ts';
export * from './vocabulary.ts';
export * from './write-intent.ts';
