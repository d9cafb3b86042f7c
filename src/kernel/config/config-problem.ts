import { PostriderError } from '../errors.js';

/** One thing wrong with the configuration: which setting, where it was said, what to do. */
export interface ConfigProblem {
  key: string;
  /** `SMTP_PORT`, `postrider.config.json`, `options`. */
  source: string;
  message: string;
}

/** All problems in one error, so that a person corrects them in one go. */
export function invalidConfig(problems: readonly ConfigProblem[]): PostriderError {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  const lines = problems.map((problem) => `\n  ${describeProblem(problem)}`);
  return new PostriderError('INVALID_CONFIG', `The configuration has ${count}:${lines.join('')}`, {
    field: problems[0]?.key,
  });
}

export function describeProblem({ key, source, message }: ConfigProblem): string {
  const end = message.includes('did you mean') ? '?' : '.';
  return key === source ? `${key} ${message}${end}` : `${key} (${source}) ${message}${end}`;
}
