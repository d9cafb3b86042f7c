import { PGlite } from '@electric-sql/pglite';
import { expect, test } from 'vitest';
import { createEventBus, createPostrider } from '../../src/index.js';
import { silentLogger } from '../../src/kernel/index.js';
import { createTestVhost, describeWith, waitFor } from '../services/index.js';
import { scriptedProvider } from './ground/scripted-provider.js';

describeWith('rabbitmq')('the embedded store on the bus', () => {
  test('an event of another service → one email, and what became of it is told', async ({
    onTestFinished,
  }) => {
    const vhost = await createTestVhost();
    onTestFinished(() => vhost.drop());
    const store = new PGlite();
    const postrider = createPostrider({
      ...{ database: store, provider: scriptedProvider(), logger: silentLogger },
      from: { address: 'noreply@example.com' },
      config: {
        bus: {
          ...{ url: vhost.url, service: 'shop-postrider', events: ['email.sent'] },
          emails: {
            'user.registered': {
              ...{ type: 'USER_CERTIFICATION', to: '$data.email' },
              data: { code: '$data.code', expiresInMinutes: 10 },
            },
          },
        },
      },
    });
    const told: unknown[] = [];
    const shop = createEventBus({ url: vhost.url, service: 'shop-front', logger: silentLogger });
    shop.on('email.sent', ({ data }) => void told.push(data));
    await Promise.all([shop.start(), postrider.start()]);
    const until = (what: string, condition: () => unknown) => waitFor(condition, { timeoutMs: 20_000, what });
    await until('the ledger to listen', async () => (await postrider.waitingForBus()) !== null);
    const event = { id: 'u1', type: 'user.registered', data: { email: 'ann@example.net', code: '123456' } };
    await Promise.all([shop.publish(event), shop.publish(event), shop.publish(event)]);
    await until('the news', () => told.length > 0);
    await until('nothing owed', async () => (await postrider.waitingForBus()) === 0);
    expect(told).toMatchObject([{ to: ['ann@example.net'] }]);
    expect((await postrider.list()).emails).toHaveLength(1);
    await postrider.stop({ deadlineMs: 2000 });
    await shop.stop();
    await store.close();
  });
});
