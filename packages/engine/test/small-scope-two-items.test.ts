import { testScope } from './small-scope.ts';
import { twoItems } from './small-scopes.ts';

testScope('every two items for a control of every kind', twoItems, 56_187);
