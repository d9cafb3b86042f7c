import { expect, it } from 'vitest';
import { didYouMean } from './did-you-mean.js';

const known = [
  'smtp.host',
  'smtp.port',
  'http.port',
  'http.bodyLimitBytes',
  'worker.concurrency',
  'POSTRIDER_DATA_DIR',
];

it.each([
  ['smtp.hots', 'smtp.host'],
  ['SMTP_HOST', 'smtp.host'],
  ['http.bodyLimitByte', 'http.bodyLimitBytes'],
  ['concurrency', 'worker.concurrency'],
  ['pipeline.concurrency', 'worker.concurrency'],
  ['POSTRIDER_DATADIR', 'POSTRIDER_DATA_DIR'],
  ['POSTRIDER_DATA_DRI', 'POSTRIDER_DATA_DIR'],
])('%s → %s', (written, meant) => {
  expect(didYouMean(written, known)).toBe(meant);
});

it.each(['zebra', '', '__proto__'])('%j → nothing is near', (written) => {
  expect(didYouMean(written, known)).toBeNull();
});
