import { describe, expect, test } from 'vitest';
import type { Lifecycle } from '../../src/kernel/index.js';

/**
 * What everything long-lived promises: starting and stopping are idempotent, in any order and at once. Each test has a
 * subject of its own, and all run at once, because most of the time is spent seeing that something does not work any more.
 */
export interface LifecycleUnderTest {
  subject: Lifecycle;
  /** How often it has begun its work. */
  begun(): number;
  /** Whether it is at work now. */
  atWork(): boolean | Promise<boolean>;
  remove?(): Promise<void>;
}

export function lifecycleContract(
  name: string,
  make: () => Promise<LifecycleUnderTest>,
  settle: (condition: () => boolean | Promise<boolean>) => Promise<unknown>,
): void {
  const withOne = (title: string, check: (one: LifecycleUnderTest) => Promise<void>) =>
    test(title, { timeout: 30_000 }, async () => {
      const one = await make();
      try {
        await check(one);
      } finally {
        await one.subject.stop({ deadlineMs: 1000 });
        await one.remove?.();
      }
    });

  describe.concurrent(`lifecycle of ${name}`, () => {
    withOne('start → at work; stop → no longer', async ({ subject, atWork }) => {
      await subject.start();
      await settle(atWork);
      await subject.stop({ deadlineMs: 1000 });
      expect(await atWork()).toBe(false);
    });

    withOne('start twice, also at once → begins once', async ({ subject, begun, atWork }) => {
      await Promise.all([subject.start(), subject.start()]);
      await subject.start();
      await settle(atWork);
      expect(begun()).toBe(1);
    });

    withOne('stop twice, also at once → each returns when it has stopped', async ({ subject, atWork }) => {
      await subject.start();
      await settle(atWork);
      const stops = [subject.stop({ deadlineMs: 1000 }), subject.stop({ deadlineMs: 1000 })];
      for (const stop of stops) {
        await stop;
        expect(await atWork()).toBe(false);
      }
      await subject.stop({ deadlineMs: 1000 });
    });

    withOne('stop before start → returns', async ({ subject, begun }) => {
      await subject.stop({ deadlineMs: 1000 });
      expect(begun()).toBe(0);
    });

    withOne('stop while it starts → both return and nothing is at work', async ({ subject, atWork }) => {
      await Promise.all([subject.start(), subject.stop({ deadlineMs: 1000 })]);
      await subject.stop({ deadlineMs: 1000 });
      expect(await atWork()).toBe(false);
    });
  });
}
