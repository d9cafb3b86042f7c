import { expect, test } from 'vitest';
import { type Costs, DAILY, sizeDeployment } from './size-deployment.js';

const costs: Costs = {
  ...{ acceptUs: 200, acceptPostgresUs: 300, workerUs: 100, deliverPostgresUs: 100, brokerUs: 0 },
  ...{ walBytes: 8000, storedBytes: 6000, measuredPerSecond: 1000 },
};

test('twice the emails → twice the cores, and never fewer than two of a process', () => {
  const [small, large, double] = [100_000, 40_000_000, 80_000_000].map((perDay) =>
    sizeDeployment(perDay, costs),
  );
  expect(small).toMatchObject({ apiProcesses: 2, workerProcesses: 2, stores: 1, brokerCores: 0 });
  expect(double!.postgresCores).toBeCloseTo(large!.postgresCores * 2);
  expect(double!.walMbPerSecond).toBeCloseTo(large!.walMbPerSecond * 2);
});

test('the busiest hour has an eighth of the day, and 60 % is full', () => {
  const { peakPerSecond, postgresCores } = sizeDeployment(28_800_000, costs);
  expect(peakPerSecond).toBeCloseTo(1000);
  expect(postgresCores).toBeCloseTo((1000 * 400) / 1e6 / 0.6);
});

test('beyond the measured rate → marked; beyond what one PostgreSQL is planned with → several stores', () => {
  expect(DAILY.map((perDay) => sizeDeployment(perDay, costs).extrapolated)).toEqual([
    ...[false, false, false, true, true],
  ]);
  const heavy = { ...costs, deliverPostgresUs: 10_000 };
  expect(sizeDeployment(100_000_000, heavy).stores).toBeGreaterThan(2);
});
