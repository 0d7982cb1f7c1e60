import { testScope } from './small-scope.ts';
import { authority, sources } from './small-scopes.ts';

testScope('every state of authority under every profile', authority, 36_288);
testScope('every source of a requirement in every mode', sources, 31_104);
