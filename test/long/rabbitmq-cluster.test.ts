import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Ground, openGround, plainEmails } from '../chaos/ground/open-ground.js';
import {
  describeWith,
  type RabbitCluster,
  runRabbitControl,
  startRabbitCluster,
  waitFor,
} from '../services/index.js';

/** The engine rabbitmq on a cluster of three with quorum queues, a node of which dies under load. */
const EMAILS = 1000;
const ANSWER_MS = 20;

describeWith('postgres', 'rabbitmq')('three brokers as a cluster with quorum queues', () => {
  let cluster: RabbitCluster;
  let ground: Ground;
  beforeAll(async () => {
    cluster = await startRabbitCluster(3);
    ground = await openGround();
    ground.sink.beforeAnswer = () =>
      new Promise((resolve) => setTimeout(() => resolve(undefined), ANSWER_MS));
  }, 240_000);
  afterAll(async () => {
    await ground?.close();
    await cluster?.remove();
  });

  it('three brokers → one cluster', async () => {
    const { control } = cluster.nodes[0]!;
    const status = await runRabbitControl(control, 'cluster_status', '--formatter', 'json');
    const { running_nodes } = JSON.parse(status.slice(status.indexOf('{'))) as { running_nodes: string[] };
    expect(running_nodes.sort()).toEqual(cluster.nodes.map(({ node }) => node).sort());
  });

  it('the node everyone is connected to is killed under load → all is sent once, without it', async () => {
    const [first, ...others] = cluster.nodes;
    const hosts = others.map(({ url }) => new URL(url).host);
    const config = {
      engine: { name: 'rabbitmq', ringAgainMs: 3000 },
      rabbitmq: { url: first!.url, queueType: 'quorum', hosts },
    } as const;
    const workers = ['one', 'two'].map((instance) => ground.child({ instance, config }));
    await Promise.all(workers.map((worker) => worker.next('ready')));
    await ground.accept(plainEmails(EMAILS));
    await waitFor(() => ground.sink.copies() >= EMAILS / 10, {
      timeoutMs: 120_000,
      what: `${EMAILS / 10} emails at the sink`,
    });
    await first!.kill();
    await ground.accept(plainEmails(200, 'meanwhile'));
    await ground.finished(240_000);
    expect(await ground.problems()).toEqual([]);
    expect(await ground.query(`select id from postrider.email_logs where status <> 'sent'`)).toEqual([]);
    expect(ground.sink.copies()).toBe(ground.accepted.length);
  }, 400_000);
});
