/** Every resource of the API: its shapes and its operations. */
export * from './audit.ts';
export * from './authzen.ts';
export * from './decisions.ts';
export * from './freezes.ts';
export * from './impact.ts';
export * from './keys.ts';
export * from './limits.ts';
export * from './outcomes.ts';
export * from './people.ts';
export * from './policies.ts';
export * from './published.ts';
export * from './reviews.ts';
export * from './sessions.ts';
export * from './status.ts';
export * from './usage.ts';
export * from './webhooks.ts';
