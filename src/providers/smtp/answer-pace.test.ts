import { expect, test } from 'vitest';
import { AnswerPace } from './answer-pace.js';

test('nothing answered yet → nobody waits', () => {
  expect(new AnswerPace().comesSoon(1, 20)).toBe(false);
});

test('answers of half a millisecond → ten wait for one connection, the eleventh does not', () => {
  const pace = new AnswerPace();
  pace.learn(0.5);
  expect(pace.comesSoon(10, 1)).toBe(true);
  expect(pace.comesSoon(11, 1)).toBe(false);
  expect(pace.comesSoon(11, 2)).toBe(true);
  expect(pace.comesSoon(1, 0)).toBe(false);
});

test('answers of six milliseconds → nobody waits', () => {
  const pace = new AnswerPace();
  pace.learn(6);
  expect(pace.comesSoon(1, 1)).toBe(false);
});

test('one answer read late → as quick as before', () => {
  const pace = new AnswerPace();
  for (const ms of [0.5, 0.6, 80]) pace.learn(ms);
  expect(pace.comesSoon(8, 1)).toBe(true);
});

test('a quick server becomes slow → known after a hundred answers', () => {
  const pace = new AnswerPace();
  pace.learn(0.5);
  for (let i = 0; i < 100; i++) pace.learn(50);
  expect(pace.comesSoon(1, 1)).toBe(false);
});
