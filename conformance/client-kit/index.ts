export { answerWith, httpAnswer } from './answers.ts';
export { corruptAnswer } from './corrupt-answer.ts';
export { type HonestService, startHonestService } from './honest-service.ts';
export { type Attack, allowFor, startHostileServer } from './hostile-server.ts';
export { REVIEW_SCENARIOS } from './review-scenarios.ts';
export { type GuardSetting, runFailClosedKit, type ScenarioResult } from './run-fail-closed-kit.ts';
export type { Scenario } from './scenario.ts';
export { RESETS, SCENARIOS } from './scenarios.ts';
