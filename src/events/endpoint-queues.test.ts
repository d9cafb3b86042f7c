import { expect, test } from 'vitest';
import { type ClaimedDelivery, EndpointQueues } from './endpoint-queues.js';

const delivery = (id: string, endpointId = 'e', tenant = 't') =>
  ({ id, endpointId, tenant }) as ClaimedDelivery;
const several = (count: number, endpointId?: string) =>
  Array.from({ length: count }, (_, n) => delivery(`${endpointId}-${n}`, endpointId));

test('an endpoint nobody has asked yet → as many are claimed as it may be sent at once; one that answers fast → many more', () => {
  const queues = new EndpointQueues(5);
  queues.add(several(5), true);
  expect(queues.shares()).toEqual([{ endpointId: 'e', held: 5, room: 0 }]);
  for (let next = queues.next('e'); next; next = queues.next('e')) {
    queues.answered(next, 2);
    queues.remove(next);
  }
  expect(queues.shares()).toEqual([{ endpointId: 'e', held: 0, room: 100 }]);
});

test('an endpoint that takes ten seconds to answer → no more are claimed than it may be sent at once', () => {
  const queues = new EndpointQueues(5);
  queues.add(several(5), true);
  const [one] = [queues.next('e')!];
  queues.answered(one, 10_000);
  queues.remove(one);
  expect(queues.shares()).toEqual([{ endpointId: 'e', held: 4, room: 1 }]);
});

test('more claimed than may be sent at once → the others wait for an answer; stopped → they are given back', () => {
  const queues = new EndpointQueues(2);
  queues.add(several(5), true);
  const sent = [queues.next('e'), queues.next('e'), queues.next('e')];
  expect(sent.map((one) => one?.id)).toEqual(['undefined-0', 'undefined-1', undefined]);
  queues.answered(sent[0]!, 1);
  expect(queues.next('e')?.id).toBe('undefined-2');
  expect(queues.takeWaiting().map(({ id }) => id)).toEqual(['undefined-3', 'undefined-4']);
  // Answered or not, three are not settled yet.
  expect([queues.count, queues.byTenant()]).toEqual([3, new Map([['t', 3]])]);
});

test('half of what was claimed is settled and more may be due → low; nothing more was due → not', () => {
  const queues = new EndpointQueues(5);
  queues.add(several(4), true);
  expect(queues.isLow()).toBe(false);
  for (const one of several(2)) queues.remove(one);
  expect(queues.isLow()).toBe(true);
  queues.add([], true);
  expect(queues.isLow()).toBe(false);
});

test('a thousand endpoints and more → only those of which something is held are remembered', () => {
  const queues = new EndpointQueues(5);
  for (let n = 0; n < 1500; n++) {
    const one = delivery('1', `e${n}`);
    queues.add([one], true);
    if (n >= 10) queues.remove(one);
  }
  expect(queues.shares().length).toBeLessThanOrEqual(1001);
  expect(queues.count).toBe(10);
});
