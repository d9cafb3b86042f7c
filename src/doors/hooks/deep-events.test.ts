import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { readResendEvent } from './read-resend-event.js';
import { readSesEvent } from './read-ses-event.js';

/** JSON.parse makes forty times its size of `[[[[…`. */
const deep = `{"notificationType":"Complaint","complaint":${'['.repeat(500_000)}`;
const refused = expect.objectContaining({
  ...{ code: 'INVALID_JSON', message: expect.stringContaining('nested deeper than 64') },
});

test('SES, a verified message of 500,000 open lists → refused by its depth, not parsed', () => {
  const message = { Type: 'Notification', MessageId: 'm', TopicArn: 't', Timestamp: '' } as const;
  expect(() => readSesEvent({ ...message, Message: deep })).toThrow(refused);
  expect(() => readSesEvent({ ...message, Message: '{' })).toThrow(
    expect.objectContaining({ code: 'INVALID_JSON', field: 'Message' }),
  );
});

test('Resend, a signed body of 500,000 open lists → refused by its depth, not parsed', async () => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const at = new Date();
  const headers = {
    ...{ 'svix-id': 'm', 'svix-timestamp': String(Math.floor(at.getTime() / 1000)) },
    'svix-signature': new Webhook(secret).sign('m', at, deep),
  };
  await expect(readResendEvent(deep, headers, [secret])).rejects.toEqual(refused);
});
