/** A limit as the service lists it, and whose counters it has. */
import type { Answered } from '@writecheck/api/calls';

export type KeyKind = 'live' | 'development';
export type ListedLimit = Answered<'GET /v1/limits'>['limits'][number];
