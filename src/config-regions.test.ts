import { expect, it } from 'vitest';
import { checkConfig, explain, loadConfig } from './config.js';
import { inRegion } from './in-region.js';

const A = 'postgres://app:hush@a.example/postrider';
const B = 'postgres://app:hush@b.example/postrider';

function problems(env: Record<string, string>): string {
  const checked = checkConfig({ env: { EMAIL_MODE: 'console', ...env }, file: null });
  return checked.ok ? '' : checked.problems.map(({ key, message }) => `${key} ${message}`).join('\n');
}

it('names with a database each → kept in their order, and shown without their passwords', () => {
  const config = loadConfig({
    env: { POSTRIDER_REGIONS: JSON.stringify({ usa1: A, ind1: B }), POSTRIDER_REGION: 'ind1' },
    file: null,
  });
  expect(Object.entries(config.regions ?? {})).toEqual([
    ['usa1', A],
    ['ind1', B],
  ]);
  const shown = explain(config).find(({ key }) => key === 'regions')?.value;
  expect(shown).toBe('usa1,ind1');
});

it.each([
  [{ POSTRIDER_REGIONS: 'ind1' }, 'as JSON'],
  [{ POSTRIDER_REGIONS: '[]' }, 'must be an object'],
  [{ POSTRIDER_REGIONS: '{}' }, 'at least one region'],
  [{ POSTRIDER_REGIONS: JSON.stringify({ all: A }) }, '.all must be a name'],
  [{ POSTRIDER_REGIONS: JSON.stringify({ 'a b': A }) }, '.a b must be a name'],
  [{ POSTRIDER_REGIONS: JSON.stringify({ ind1: 'mysql://x' }) }, '.ind1 must be a URL'],
  [{ POSTRIDER_REGIONS: JSON.stringify({ ind1: A, usa1: A }) }, 'a database of its own'],
  [{ POSTRIDER_REGIONS: JSON.stringify({ ind1: A, IND1: B }) }, 'differ only in capitals'],
  [{ POSTRIDER_REGIONS: JSON.stringify({ ind1: A }), DATABASE_URL: B }, 'leave DATABASE_URL out'],
  [
    { POSTRIDER_REGIONS: JSON.stringify({ ind1: A }), POSTRIDER_REGION: 'usa1' },
    'one of POSTRIDER_REGIONS: ind1',
  ],
])('%j → refused, saying why and no password', (env, why) => {
  expect(problems(env)).toContain(why);
  expect(problems(env)).not.toContain('hush');
});

const BOTH = JSON.stringify({ ind1: A, usa1: B });

it.each([
  [{ POSTRIDER_ENGINE: 'rabbitmq', RABBITMQ_URL: 'amqp://b.example/one' }, 'rabbitmq.url must say {region}'],
  [
    {
      POSTRIDER_ENGINE: 'rabbitmq',
      RABBITMQ_URL: 'amqp://b.example/{region}',
      RABBITMQ_HOSTS: 'c.example:5672',
    },
    'rabbitmq.hosts cannot be given',
  ],
  [{ POSTRIDER_ENGINE: 'bullmq' }, 'redis.url must say {region}'],
  [{ POSTRIDER_BUS_URL: 'amqp://b.example' }, 'bus.url must say {region}'],
])('two regions and %j → refused: they would share a broker', (env, why) => {
  expect(problems({ POSTRIDER_REGIONS: BOTH, ...env })).toContain(why);
});

it('two regions and brokers that say {region} → each has those of its own', () => {
  const config = loadConfig({
    env: {
      ...{ EMAIL_MODE: 'console', POSTRIDER_REGIONS: BOTH, POSTRIDER_ENGINE: 'bullmq' },
      ...{ REDIS_URL: 'redis://cache-{region}.example', POSTRIDER_BUS_URL: 'amqp://b.example/bus-{region}' },
    },
    file: null,
  });
  const usa = inRegion(config, 'usa1');
  expect([usa.redis.url, usa.bus.url]).toEqual(['redis://cache-usa1.example', 'amqp://b.example/bus-usa1']);
  expect(inRegion(config, 'ind1').redis.url).toBe('redis://cache-ind1.example');
});
