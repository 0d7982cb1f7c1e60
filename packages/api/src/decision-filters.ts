/** The filters of a list of decisions, in one list: the query of the API, and the words of the console's search. */
export const FILTERS = [
  { name: 'decision', word: 'decision', label: 'Outcome', description: 'only these decisions' },
  { name: 'reason_code', word: 'reason', label: 'Reason', description: 'only this reason' },
  { name: 'system', word: 'system', label: 'System', description: 'only this target system' },
  { name: 'objectRef', word: 'object', label: 'Object', description: 'only this object' },
  { name: 'workflowId', word: 'workflow', label: 'Workflow', description: 'only this workflow' },
  { name: 'runId', word: 'run', label: 'Run', description: 'only this run' },
  { name: 'keyId', word: 'agent', label: 'Agent', description: 'only those requested with this key' },
] as const;

export type Filter = (typeof FILTERS)[number]['name'];
