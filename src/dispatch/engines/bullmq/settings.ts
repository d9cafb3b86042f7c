import { type Settings, setting } from '../../../kernel/index.js';

/** Where the engine bullmq finds its Redis. */
export const redisSettings = {
  redis: {
    url: setting.url({
      env: ['REDIS_URL'],
      schemes: ['redis', 'rediss'],
      default: 'redis://127.0.0.1:6379',
      says: 'The Redis of the engine bullmq.',
    }),
    prefix: setting.text({
      env: ['POSTRIDER_REDIS_PREFIX'],
      default: 'bull',
      form: 'letters, digits, dots, hyphens and underscores',
      fits: (text) => /^[\w.-]+$/.test(text),
      says: 'What its keys in Redis start with; another one for each that shares a Redis.',
    }),
  },
} satisfies Settings;
