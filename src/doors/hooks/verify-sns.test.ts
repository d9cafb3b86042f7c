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
    'https://sns.s3.amazonaws.com/SimpleNotificationService-test.pem', // a bucket whose name is sns
    'https://sns.s3-eu-west-1.amazonaws.com/SimpleNotificationService-test.pem',
    'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-test.pem', // not the topic's region
    'https://sns.eu-west-1.amazonaws.com.cn/SimpleNotificationService-test.pem',
    'https://sns.eu-west-1.amazonaws.com/other.pem',
    'https://sns.eu-west-1.amazonaws.com/x/SimpleNotificationService-test.pem',
    'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-test.pem?x=.pem',
    'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-../x.pem',
    'https://sns.eu-west-1.amazonaws.com/?Action=x&SimpleNotificationService-test.pem',
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
    await refused({ ...topic.notification({}), Type: 'constructor' });
    await refused({ ...topic.notification({}), SignatureVersion: 'constructor' });
    await refused(JSON.parse('{"Type":"__proto__","TopicArn":"x"}'));
  });

  test.each([
    'https://evil.example/confirm',
    `https://sns.s3.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topic.topicArn}&Token=t`,
    `https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topic.topicArn}&Token=t`,
    `https://sns.eu-west-1.amazonaws.com/?Action=DeleteTopic&TopicArn=${topic.topicArn}`,
    'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=arn:aws:sns:eu-west-1:1:x&Token=t',
    'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-test.pem',
  ])('a confirmation that leads to %s → not followed', async (url) => {
    const before = asked.length;
    await expect(verifier.confirm(topic.confirmation(url))).rejects.toMatchObject({
      code: 'NOTIFICATION_UNVERIFIED',
    });
    expect(asked).toHaveLength(before);
  });

  test('a topic in China → its certificate comes from the hosts there, and from no others', async () => {
    const chinese = snsTopic('arn:aws-cn:sns:cn-north-1:123456789012:mail');
    const at = (host: string) => `https://${host}/SimpleNotificationService-test.pem`;
    const there = createSnsVerifier({
      ...{ topics: [chinese.topicArn], clock: systemClock },
      fetchText: async () => chinese.certificate,
    });
    const signedAt = (host: string) =>
      there.verify({ ...chinese.notification({}), SigningCertURL: at(host) });
    await expect(signedAt('sns.cn-north-1.amazonaws.com.cn')).resolves.toMatchObject({
      Type: 'Notification',
    });
    await expect(signedAt('sns.cn-north-1.amazonaws.com')).rejects.toThrow('no signature of Amazon');
  });
});
