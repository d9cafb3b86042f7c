import { installPackages } from './debian-packages.js';
import { createRabbitKin, rabbitFromBinaries } from './rabbitmq-from-binaries.js';
import { rabbitFromDocker } from './rabbitmq-from-docker.js';
import type { RabbitServer } from './rabbitmq-server.js';
import { runRabbitControl } from './run-rabbit-control.js';
import type { Unavailable } from './service.js';

/**
 * A broker for one test that stops, kills and starts it. Never the one of TEST_RABBITMQ_URL.
 * The caller removes it; what is forgotten goes with the process.
 */
export async function startPrivateRabbit(): Promise<RabbitServer> {
  const reasons: string[] = [];
  for (const way of [() => rabbitFromBinaries(), rabbitFromDocker, rabbitFromPackages]) {
    const server = await way();
    if ('url' in server) return server;
    reasons.push(server.because);
  }
  throw new Error(`no RabbitMQ for a broker of this test's own: ${reasons.join('; ')}`);
}

/** Debian's own RabbitMQ, installed when we may, then run like any local one. */
export async function rabbitFromPackages(): Promise<RabbitServer | Unavailable> {
  return (await installPackages('rabbitmq-server')) ?? rabbitFromBinaries();
}

/** Several brokers on this machine that form one cluster. Needs the programs; a container is not clustered. */
export async function startRabbitCluster(size: number): Promise<RabbitCluster> {
  const kin = await createRabbitKin();
  const nodes: RabbitServer[] = [];
  async function remove(): Promise<void> {
    await Promise.all(nodes.map((node) => node.remove()));
    kin.names.remove();
  }
  for (let index = 0; index < size; index++) {
    let server = await rabbitFromBinaries(kin);
    if (!('url' in server))
      server = (await installPackages('rabbitmq-server')) ?? (await rabbitFromBinaries(kin));
    if (!('url' in server)) {
      await remove();
      throw new Error(`no cluster of RabbitMQ: ${server.because}`);
    }
    nodes.push(server);
    if (index === 0) continue;
    await runRabbitControl(server.control, 'stop_app');
    await runRabbitControl(server.control, 'join_cluster', nodes[0]!.node);
    await runRabbitControl(server.control, 'start_app');
  }
  return { nodes, remove };
}

export interface RabbitCluster {
  nodes: RabbitServer[];
  remove(): Promise<void>;
}
