import { describe, expect, test } from 'vitest';
import { makeEmailJob, readEmailJob } from './email-job.js';

const ID = '0199d5d6-7d3a-7c1f-9a3b-2f6f5f0c7e11';
const bell = {
  ...{ id: ID, token: 3, tenant: 'acme', priority: 2, attempt: 1, maxAttempts: 5 },
  data: { requestId: 'req-1', to: 'ann@example.com', subject: 'Hello', recipient: null },
};

describe('making a job', () => {
  test('an email → the fields of the contract and no other', () => {
    expect(makeEmailJob(bell)).toEqual({
      ...{ outboxId: ID, companyId: 'acme', requestId: 'req-1', to: 'ann@example.com' },
      ...{ subject: 'Hello', attempt: 2, priority: 2 },
    });
  });
  test('a known recipient → named in it', () => {
    const recipient = { externalId: 'u-1', email: 'ann@example.com' };
    expect(makeEmailJob({ ...bell, data: { ...bell.data, recipient } })?.recipient).toEqual(recipient);
  });
  test('an email that does not fit → no job', () => {
    expect(makeEmailJob({ ...bell, data: { ...bell.data, subject: 'x'.repeat(151) } })).toBeNull();
    expect(makeEmailJob({ ...bell, data: null })).toBeNull();
  });
});

describe('reading a job', () => {
  const data = makeEmailJob(bell)!;
  const job = { id: ID, name: 'email:send', data };
  test('one of ours → its data', () => {
    expect(readEmailJob(job)).toEqual({ ok: true, job: data });
  });
  test.each([
    ['another name', { ...job, name: 'other' }],
    ['another id', { ...job, id: 'x' }],
    ['no data', { ...job, data: undefined }],
    ['an outboxId that is none', { ...job, data: { ...data, outboxId: '1' } }],
    ['no company', { ...job, data: { ...data, companyId: '' } }],
    ['an address that is none', { ...job, data: { ...data, to: 'ann' } }],
    ['a field too many', { ...job, data: { ...data, html: '<p>' } }],
    [
      'a recipient with another address',
      { ...job, data: { ...data, recipient: { recipientId: '1', email: 'eve@example.com' } } },
    ],
    ['a recipient without an id', { ...job, data: { ...data, recipient: { email: data.to } } }],
    ['attempt 0', { ...job, data: { ...data, attempt: 0 } }],
    ['priority 9', { ...job, data: { ...data, priority: 9 } }],
  ])('%s → refused, and the reason names no value', (_, bad) => {
    const read = readEmailJob(bad as typeof job);
    expect(read.ok).toBe(false);
    expect(JSON.stringify(read)).not.toContain('example.com');
  });
});
