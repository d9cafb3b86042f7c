import { type Settings, setting } from '../../../kernel/index.js';

/** The broker of the engine `rabbitmq`. */
export const rabbitSettings = {
  rabbitmq: {
    url: setting.url({
      env: ['RABBITMQ_URL'],
      default: null,
      schemes: ['amqp', 'amqps'],
      says: 'The broker of the engine `rabbitmq`, with user, password and virtual host.',
    }),
    hosts: setting.words({
      env: ['RABBITMQ_HOSTS'],
      default: null,
      form: 'host:port',
      fits: (host) => /^[a-z0-9.-]+:\d{1,5}$/.test(host),
      says: 'More nodes of the same cluster, tried in turn with the host of the URL.',
    }),
    queueType: setting.choice(['classic', 'quorum'], {
      env: ['RABBITMQ_QUEUE_TYPE'],
      default: 'classic',
      says: 'What queues are declared as; `quorum` survives the loss of a node of a cluster.',
    }),
  },
} satisfies Settings;
