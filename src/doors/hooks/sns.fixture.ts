import { createSign, generateKeyPairSync } from 'node:crypto';

/** A topic of SNS with a key and a certificate of the test's own, which signs as Amazon does. */
export function snsTopic(topicArn = 'arn:aws:sns:eu-west-1:123456789012:mail') {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const certUrl = 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-test.pem';
  let count = 0;

  function signed(fields: Record<string, string>, version: '1' | '2'): Record<string, string> {
    const text = Object.keys(fields)
      .sort()
      .map((name) => `${name}\n${fields[name]}\n`)
      .join('');
    const signer = createSign(version === '1' ? 'RSA-SHA1' : 'RSA-SHA256').update(text, 'utf8');
    return {
      ...fields,
      SignatureVersion: version,
      Signature: signer.sign(privateKey, 'base64'),
      SigningCertURL: certUrl,
    };
  }

  /** Of any text, which need not be JSON. */
  function notificationOf(text: string, { version = '2' as '1' | '2', id = '' } = {}) {
    count += 1;
    return signed(
      {
        Type: 'Notification',
        MessageId: id || `message-${count}`,
        TopicArn: topicArn,
        Message: text,
        Timestamp: new Date().toISOString(),
      },
      version,
    );
  }

  return {
    topicArn,
    certUrl,
    certificate: certificateOf(publicKey.export({ type: 'spki', format: 'der' }), (tbs) =>
      createSign('RSA-SHA256').update(tbs).sign(privateKey),
    ),
    notification(message: object, options: { version?: '1' | '2'; id?: string } = {}) {
      return notificationOf(JSON.stringify(message), options);
    },
    notificationOf,
    confirmation(subscribeUrl: string) {
      return signed(
        {
          Type: 'SubscriptionConfirmation',
          MessageId: 'confirm-1',
          TopicArn: topicArn,
          Message: 'You have chosen to subscribe.',
          SubscribeURL: subscribeUrl,
          Timestamp: new Date().toISOString(),
          Token: 'token',
        },
        '2',
      );
    },
  };
}

/** The least that is an X.509 certificate, valid around now. */
function certificateOf(spki: Buffer, sign: (tbs: Buffer) => Buffer): string {
  const algorithm = der(0x30, Buffer.from('06092a864886f70d01010b0500', 'hex'));
  const commonName = der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from('sns.amazonaws.com')));
  const name = der(0x30, der(0x31, commonName));
  const time = (at: number) =>
    der(0x17, Buffer.from(`${new Date(at).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
  const day = 86_400_000;
  const tbs = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    der(0x30, time(Date.now() - day), time(Date.now() + day)),
    name,
    spki,
  );
  const whole = der(0x30, tbs, algorithm, der(0x03, Buffer.from([0]), sign(tbs)));
  const lines = whole.toString('base64').match(/.{1,64}/g)!;
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
