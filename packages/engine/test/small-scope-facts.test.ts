import { factsOfOneRecord } from './facts-scope.ts';
import { testScope } from './small-scope.ts';

testScope('everything that items may say about a record', factsOfOneRecord, 23_760);
