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
    ['another name', 'name', { ...job, name: 'other' }],
    ['another id', 'outboxId', { ...job, id: 'x' }],
    ['no data', 'data', { ...job, data: undefined }],
    ['an outboxId that is none', 'outboxId', { ...job, data: { ...data, outboxId: '1' } }],
    ['no company', 'companyId', { ...job, data: { ...data, companyId: '' } }],
    ['an address that is none', 'to', { ...job, data: { ...data, to: 'ann' } }],
    ['a field too many', 'html', { ...job, data: { ...data, html: '<p>' } }],
    ['a field named as an address', 'data', { ...job, data: { ...data, 'eve@example.com': 1 } }],
    [
      'a recipient with another address',
      'recipient.email',
      { ...job, data: { ...data, recipient: { recipientId: '1', email: 'eve@example.com' } } },
    ],
    ['a recipient without an id', 'recipient', { ...job, data: { ...data, recipient: { email: data.to } } }],
    ['attempt 0', 'attempt', { ...job, data: { ...data, attempt: 0 } }],
    ['priority 9', 'priority', { ...job, data: { ...data, priority: 9 } }],
  ])('%s → refused with the field %s, and the reason names no value', (_, field, bad) => {
    const read = readEmailJob(bad as typeof job);
    expect(read).toMatchObject({ ok: false, field });
    expect(JSON.stringify(read)).not.toContain('example.com');
  });
});
