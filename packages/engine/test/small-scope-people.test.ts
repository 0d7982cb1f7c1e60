import { testScope } from './small-scope.ts';
import { people } from './small-scopes.ts';

testScope('everything a person may say', people, 48_384);
