export { type AnswerShape, answerText, answerWith, httpAnswer } from './answers.ts';
export { corruptAnswer, seededRandom } from './corrupt-answer.ts';
export { type Attack, allowFor, type HostileServer, startHostileServer } from './hostile-server.ts';
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
