import { testScope } from './small-scope.ts';
import { oneItem } from './small-scopes.ts';

testScope('one item of every kind for a control of every kind', oneItem, 58_320);
