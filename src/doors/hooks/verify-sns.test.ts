import { describe, expect, test } from 'vitest';
import { ManualClock, systemClock } from '../../kernel/index.js';
import { snsTopic } from './sns.fixture.js';
import { createSnsVerifier } from './verify-sns.js';

describe('createSnsVerifier', () => {
  const topic = snsTopic();
  const asked: string[] = [];
  const verifier = createSnsVerifier({
    topics: [topic.topicArn],
    clock: systemClock,
    fetchText: async (url) => {
      asked.push(url);
      return url === topic.certUrl ? topic.certificate : '';
    },
  });
  const refused = (input: unknown) =>
    expect(verifier.verify(input)).rejects.toMatchObject({ code: 'NOTIFICATION_UNVERIFIED' });

  test.each(['1', '2'] as const)(
    'signature version %s → taken; the certificate is fetched once',
    async (version) => {
      const message = topic.notification({ hello: 'world' }, { version });
      expect((await verifier.verify(message)).Message).toBe('{"hello":"world"}');
      expect(asked).toEqual([topic.certUrl]);
    },
  );

  test('one character changed → refused', async () => {
    const message = topic.notification({ hello: 'world' });
    await refused({ ...message, Message: '{"hello":"World"}' });
    await refused({ ...message, MessageId: 'other' });
    await refused({ ...message, Subject: 'added' });
  });

  test('another topic → refused before anything is fetched', async () => {
    const other = snsTopic('arn:aws:sns:eu-west-1:999999999999:evil');
    const before = asked.length;
    await refused({
      ...other.notification({}),
      SigningCertURL: 'https://sns.us-east-1.amazonaws.com/new.pem',
    });
    expect(asked).toHaveLength(before);
  });

  test('signed by another key with our topic → refused', async () => {
    await refused(snsTopic(topic.topicArn).notification({}));
  });

  test.each([
    'http://sns.eu-west-1.amazonaws.com/a.pem',
    'https://sns.eu-west-1.amazonaws.com.evil.example/a.pem',
    'https://evil.example/sns.eu-west-1.amazonaws.com/a.pem',
    'https://sns.eu-west-1.amazonaws.com@evil.example/a.pem',
    'https://sns.eu-west-1.amazonaws.com:8443/a.pem',
    'https://bucket.s3.amazonaws.com/a.pem',
    'https://sns.eu-west-1.amazonaws.com/a.txt',
  ])('a certificate at %s → refused before it is fetched', async (url) => {
    const before = asked.length;
    await refused({ ...topic.notification({}), SigningCertURL: url });
    expect(asked).toHaveLength(before);
  });

  test('a certificate out of its time → refused', async () => {
    const late = new ManualClock(Date.now() + 3 * 86_400_000);
    const strict = createSnsVerifier({
      topics: [topic.topicArn],
      clock: late,
      fetchText: async () => topic.certificate,
    });
    await expect(strict.verify(topic.notification({}))).rejects.toThrow('not valid now');
  });

  test('no message at all → refused', async () => {
    for (const input of [null, 1, 'text', {}, [], { Type: 'Notification' }]) await refused(input);
  });

  test('a confirmation that leads elsewhere than Amazon → not followed', async () => {
    const before = asked.length;
    await expect(verifier.confirm(topic.confirmation('https://evil.example/confirm'))).rejects.toMatchObject({
      code: 'NOTIFICATION_UNVERIFIED',
    });
    expect(asked).toHaveLength(before);
  });
});
