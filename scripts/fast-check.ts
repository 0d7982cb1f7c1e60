/** fast-check with the same cases in every run of the suite, so that only a change makes it fail; at night, new cases. */
import fc from 'fast-check';

const SEED = 20_261_118;

if (process.env.npm_lifecycle_event !== 'nightly') fc.configureGlobal({ seed: SEED });

export { fc };
