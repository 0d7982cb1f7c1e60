/** The filters of a list of decisions, in one list: the query of the API, and the words of the console's search. */
export const FILTERS = [
  { name: 'decision', word: 'decision', label: 'Outcome', description: 'only these decisions' },
  { name: 'reason_code', word: 'reason', label: 'Reason', description: 'only this reason' },
  {
    name: 'system',
    word: 'system',
    label: 'System',
    description: 'only this target system; the match is exact, also in case',
  },
  {
    name: 'objectRef',
    word: 'object',
    label: 'Object',
    description: 'only this object; the match is exact, also in case',
  },
  {
    name: 'workflowId',
    word: 'workflow',
    label: 'Workflow',
    description: 'only this workflow; the match is exact, also in case',
  },
  {
    name: 'runId',
    word: 'run',
    label: 'Run',
    description: 'only this run; the match is exact, also in case',
  },
  { name: 'keyId', word: 'agent', label: 'Agent', description: 'only those requested with this key' },
] as const;

export type Filter = (typeof FILTERS)[number]['name'];
