import { expect, test } from 'vitest';
import { Registry } from './prometheus.js';
import { talliedCounter } from './tallied-counter.js';

test('one label and two → what prom-client would say, and the same when asked twice', async () => {
  const registry = new Registry();
  const ended = talliedCounter({ name: 'ended_total', help: 'Ended.', labels: ['state'], registry });
  const tried = talliedCounter({
    name: 'tried_total',
    help: 'Tried.',
    labels: ['route', 'outcome'],
    registry,
  });
  expect(await registry.metrics()).not.toContain('{');
  for (const state of ['sent', 'sent', 'failed']) ended(state);
  for (const outcome of ['sent', 'deferred', 'sent']) tried('default', outcome);
  tried('backup', 'sent');
  const expected = [
    'ended_total{state="sent"} 2',
    'ended_total{state="failed"} 1',
    'tried_total{route="default",outcome="sent"} 2',
    'tried_total{route="default",outcome="deferred"} 1',
    'tried_total{route="backup",outcome="sent"} 1',
  ];
  const told = async () => (await registry.metrics()).split('\n').filter((line) => line.includes('{'));
  expect(await told()).toEqual(expected);
  expect(await told()).toEqual(expected);
});
