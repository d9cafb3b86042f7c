import { afterAll, beforeAll, expect, test } from 'vitest';
import { withRabbit } from '../contract/ground/rabbit-ground.js';
import { createTestVhost, describeWith, type TestVhost } from '../services/index.js';
import { type DashboardGround, openDashboard, seriousProblems } from './ground/open-dashboard.js';

describeWith(
  'postgres',
  'chromium',
  'rabbitmq',
)('dead letters of the broker in the dashboard', () => {
  let vhost: TestVhost;
  let ground: DashboardGround;
  beforeAll(async () => {
    vhost = await createTestVhost();
    ground = await openDashboard({
      config: { engine: { name: 'rabbitmq' }, rabbitmq: { url: vhost.url }, limits: { enabled: false } },
    });
    await ground.door.postrider.start();
  });
  afterAll(async () => {
    await ground?.close();
    await vhost?.drop();
  });

  test('a refused message of another service → shown with its reason, put back, refused again, removed', async () => {
    await withRabbit(vhost.url, async (rabbit) => {
      const publisher = rabbit.createPublisher({ confirm: true });
      await publisher.send(
        { exchange: 'EmailExchange', routingKey: 'email.send', messageId: 'order-1' },
        { type: '<img src=x onerror=alert(1)>' },
      );
      await publisher.close();
    });
    const { brokerDeadLetters } = ground.door.postrider;
    const count = async () => (await brokerDeadLetters.list()).total;
    await expect.poll(count).toBe(1);
    const { page, errors, dialogs, close } = await ground.visit('/dead-letters');
    await page.getByText('order-1').waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Put back' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Put back' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(count).toBe(1);
    await page.getByRole('button', { name: 'Look again' }).click();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The queue is empty').waitFor();
    expect(await count()).toBe(0);
    expect([errors, dialogs]).toEqual([[], []]);
    await close();
  });
});
