import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'vitest';
import { createPostrider, type Postrider, type PostriderOptions } from '../../../src/index.js';
import { silentLogger } from '../../../src/kernel/index.js';
import { waitFor } from '../../services/index.js';
import { type Journey, openJourney } from './open-journey.js';
import { scriptedProvider } from './scripted-provider.js';

/** Processes that watch one store with short times, and a receiver of all that is sent about alerts. */
export interface AlertFixture {
  journey: Journey;
  receiver: Receiver;
  /** Another process on the same store, with the same settings unless some are given. */
  another(alerts?: object, options?: PostriderOptions): Postrider;
  /** Returns when the beginning of this alert was received. */
  begun(alert: string): Promise<AlertData>;
  /** Returns when its end was received. */
  ended(alert: string, subject?: string): Promise<AlertData>;
  /** Ids of the alerts whose beginning was received, in order. */
  alerts(): Array<string | null>;
  /** Long enough for several rounds of every process. */
  rounds(count?: number): Promise<void>;
}

export type AlertData = Record<string, string | null>;

export interface Receiver {
  url: string;
  got: Array<{ path: string; headers: IncomingMessage['headers']; body: string }>;
  /** What it answers on a path; 200 else. */
  answers: Map<string, number>;
  of(path: string): Array<{ type: string; data: AlertData }>;
}

export const QUICK = {
  // A crowded machine needs time between two looks, or each counts as a gap.
  ...{ intervalMs: 300, holdMs: 200, silentMs: 60_000, waitingMs: 60_000, routeMs: 300, heartbeatMs: 300 },
  webhookSecret: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
};

export async function openAlerts(
  test: Pick<TestContext, 'onTestFinished'>,
  alerts: object = {},
  options: Parameters<typeof openJourney>[0] = {},
): Promise<AlertFixture> {
  const receiver = await openReceiver(test);
  const config = (own: object) => ({
    ...options.config,
    webhooks: { allowPrivate: true },
    alerts: {
      ...QUICK,
      webhookUrl: `${receiver.url}/hook`,
      slackUrl: `${receiver.url}/slack`,
      ...alerts,
      ...own,
    },
  });
  const journey = await openJourney({ ...options, config: config({}) });
  test.onTestFinished(journey.close);
  const until = (condition: () => unknown, what: string) => waitFor(condition, { timeoutMs: 30_000, what });
  const find = (type: string, alert: string, subject?: string) => () =>
    receiver
      .of('/hook')
      .find(
        (one) =>
          one.type === type &&
          one.data.alert === alert &&
          (subject === undefined || one.data.subject === subject),
      )?.data;
  return {
    journey,
    receiver,
    another(own = {}, more = {}) {
      const one = createPostrider({
        database: journey.url,
        ...(more.routes === undefined && { provider: scriptedProvider() }),
        from: { address: 'noreply@example.com' },
        logger: silentLogger,
        ...more,
        config: { ...config(own), ...more.config },
      });
      test.onTestFinished(() => one.stop({ deadlineMs: 0 }));
      return one;
    },
    begun: (alert) => until(find('alert.opened', alert), `${alert} to begin`) as Promise<AlertData>,
    ended: (alert, subject) =>
      until(find('alert.ended', alert, subject), `${alert} to end`) as Promise<AlertData>,
    alerts: () =>
      receiver
        .of('/hook')
        .filter(({ type }) => type === 'alert.opened')
        .map(({ data }) => data.alert!),
    async rounds(count = 10) {
      const { rows } = await journey.pool.query('select clock_timestamp() as at');
      const passed = async () =>
        (
          await journey.pool.query(
            `select 1 from postrider.alert_rounds where evaluated_at > $1::timestamptz + $2::int * interval '100 milliseconds'`,
            [rows[0].at, count],
          )
        ).rowCount;
      await until(passed, 'rounds to pass');
    },
  };
}

export async function openReceiver(test: Pick<TestContext, 'onTestFinished'>): Promise<Receiver> {
  const got: Receiver['got'] = [];
  const answers = new Map<string, number>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const path = request.url!;
      const status = answers.get(path) ?? 200;
      if (status < 300) got.push({ path, headers: request.headers, body });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    answers,
    of: (path) => got.filter((one) => one.path === path).map(({ body }) => JSON.parse(body)),
  };
}
