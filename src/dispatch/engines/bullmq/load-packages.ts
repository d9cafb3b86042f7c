import { PostriderError } from '../../../kernel/index.js';

/** The packages of this engine, loaded when it is used: whoever uses another need not have them. */
export interface BullmqPackages {
  bullmq: typeof import('bullmq');
  Redis: typeof import('ioredis').Redis;
}

export async function loadPackages(): Promise<BullmqPackages> {
  try {
    const [bullmq, { Redis }] = await Promise.all([import('bullmq'), import('ioredis')]);
    return { bullmq, Redis };
  } catch (error) {
    const message = 'The engine bullmq needs two packages: npm install bullmq ioredis';
    throw new PostriderError('BROKER_UNSUITABLE', message, { cause: error });
  }
}
