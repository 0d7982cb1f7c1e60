export { type AnswerShape, answerText, answerWith, httpAnswer } from './answers.ts';
export { corruptAnswer, seededRandom } from './corrupt-answer.ts';
export { type HonestReview, type HonestService, startHonestService } from './honest-service.ts';
export {
  type Attack,
  allowFor,
  type HostileServer,
  type ReceivedRequest,
  startHostileServer,
} from './hostile-server.ts';
export { REVIEW_SCENARIOS } from './review-scenarios.ts';
export {
  type Guard,
  type GuardSetting,
  type KitOptions,
  type KitReport,
  runFailClosedKit,
  type ScenarioResult,
} from './run-fail-closed-kit.ts';
export type { Scenario } from './scenario.ts';
export { RESETS, SCENARIOS } from './scenarios.ts';
