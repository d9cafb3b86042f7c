import { expect, it, onTestFinished } from 'vitest';
import { DEAD_LETTER_QUEUE } from '../../src/dispatch/engines/rabbitmq/topology.js';
import { takeOne } from '../contract/ground/rabbit-ground.js';
import { openDoor } from '../journey/ground/open-door.js';
import { anEmail } from '../journey/ground/open-journey.js';
import { deferred } from '../journey/ground/scripted-provider.js';
import { createTestVhost, describeWith, waitFor } from '../services/index.js';

/** All three waits of the broker in real time; `npm test` waits for the first one only. */
describeWith('postgres', 'rabbitmq')('retries in the broker', () => {
  it('retries used up → MAX_RETRIES_EXCEEDED after waits of 5, 10 and 20 s', async () => {
    const vhost = await createTestVhost();
    onTestFinished(() => vhost.drop());
    const door = await openDoor({
      config: {
        engine: { name: 'rabbitmq', ringAgainMs: 600_000 },
        rabbitmq: { url: vhost.url },
        retry: { preset: 'broker' },
        limits: { enabled: false },
      },
    });
    onTestFinished(() => door.close());
    await door.postrider.start();
    const email = anEmail();
    door.provider.script(email.to, deferred);
    const { emailId } = await door.postrider.send(email);
    await waitFor(async () => (await door.postrider.get(emailId))?.status === 'failed', {
      timeoutMs: 90_000,
      what: 'it to fail',
    });
    const at = door.provider.callsFor(emailId).map((call) => call.at);
    const waits = at.slice(1).map((time, index) => time - at[index]!);
    expect(waits).toHaveLength(3);
    for (const [index, waitMs] of [5000, 10_000, 20_000].entries()) {
      expect(waits[index]).toBeGreaterThan(waitMs - 300);
      expect(waits[index]).toBeLessThan(waitMs + 20_000);
    }
    const letter = await waitFor(() => takeOne(vhost.url, DEAD_LETTER_QUEUE), {
      timeoutMs: 40_000,
      what: 'the mirror',
    });
    expect(letter.headers).toMatchObject({
      'x-retry-count': 3,
      'x-failure-type': 'MAX_RETRIES_EXCEEDED',
      'x-response-code': 451,
    });
  });
});
