/** A Postrider with an inbox and a day of invented emails: most are sent, some fail, some wait. */
import { join } from 'node:path';
import { createHttpApp, startHttpServer } from '../../dist/doors/http/index.js';
import { createInbox } from '../../dist/doors/inbox/index.js';
import { httpRooms } from '../../dist/http-rooms.js';
import { createPostrider, smtpProvider } from '../../dist/index.js';
import { silentLogger, systemClock } from '../../dist/kernel/index.js';
import { catalogue } from '../../dist/render/index.js';
import { fillCompany } from './fill-company.mjs';

const HOST = '127.0.0.1';
const NAMES = [
  'ada',
  'grace',
  'alan',
  'edsger',
  'barbara',
  'donald',
  'margaret',
  'niklaus',
  'frances',
  'ken',
];

const KINDS = ['welcome', 'password_changed', 'weekly_focus', 'meeting_scheduled'];

export async function seed(folder) {
  const inbox = await createInbox({
    directory: join(folder, 'inbox'),
    clock: systemClock,
    logger: silentLogger,
  });
  const sink = await inbox.startSink({ host: HOST, port: 0 });
  const smtp = smtpProvider({ host: HOST, port: sink.port, maxConnections: 4 });
  const provider = { ...smtp, name: 'smtp', send: (email, attempt) => answer(smtp, email, attempt) };
  const postrider = createPostrider({
    database: { folder: join(folder, 'store') },
    provider,
    from: { address: 'hello@fjord.example', name: 'Fjord' },
    logger: silentLogger,
    config: { limits: { enabled: false }, access: { secretKeys: `one:${'A'.repeat(43)}=` } },
  });
  await postrider.start();
  const door = (options) => {
    const app = createHttpApp({
      ...{ rooms: httpRooms(postrider), logger: silentLogger, clock: systemClock, ...options },
      ...{ access: postrider.access, bodyLimitBytes: 1024 ** 2 },
    });
    return startHttpServer({ app, host: HOST, port: 0 });
  };
  const server = await door({ apiKey: null, inbox });
  // Where there is a key, people sign in.
  const closed = await door({ apiKey: 'a key of the operators' });
  await fill(postrider);
  const { webhookId, broadcastId } = await fillCompany(postrider);
  const failed = await waitUntil(async () => {
    const { emails } = await postrider.list({ status: 'failed', limit: 5 });
    return emails[0];
  });
  const sent = await waitUntil(async () => {
    const { emails } = await postrider.list({ status: 'sent', type: 'welcome', limit: 1 });
    return emails[0];
  });
  // Some go on while the pictures are taken, so that the plots have something to show.
  const trickle = setInterval(() => void postrider.sendBatch(few(3 + (trickled++ % 7))), 400);
  let trickled = 0;
  return {
    url: `http://${HOST}:${server.port}`,
    pages: {
      email: `/emails/${sent.id}`,
      'email-failed': `/emails/${failed.id}`,
      webhook: `/webhooks/${webhookId}`,
      broadcast: `/broadcasts/${broadcastId}`,
      'sign-in': `http://${HOST}:${closed.port}/dashboard/`,
      'inbox-message': `/inbox/${inbox.list().find(({ subject }) => subject.includes('elcome'))?.id}`,
    },
    async close() {
      clearInterval(trickle);
      await server.stop({ deadlineMs: 500 });
      await closed.stop({ deadlineMs: 500 });
      await postrider.stop({ deadlineMs: 2000 });
      await sink.stop();
    },
  };
}

function few(count) {
  return Array.from({ length: count }, (_, i) => ({
    to: `${NAMES[i % NAMES.length]}@example.net`,
    subject: `Your order ${1000 + i} is on its way`,
    html: `<h1>On its way</h1><p>Order ${1000 + i} left our harbour this morning.</p>`,
    type: 'order_shipped',
  }));
}

async function fill(postrider) {
  await postrider.sendBatch(few(120));
  for (const { type, sample } of catalogue.filter(({ type }) => KINDS.includes(type)))
    for (const name of NAMES)
      await postrider.send({
        ...{ type, to: `${name}@example.net`, data: sample },
        lang: name === 'niklaus' ? 'de' : 'en',
      });
  for (let i = 0; i < 14; i++)
    await postrider.send({
      to: `nobody-${i}@bounce.example`,
      subject: 'Your invoice for October',
      text: 'Find it attached.',
      type: 'invoice',
      ...(i % 3 === 0 && { priority: 2 }),
    });
  for (let i = 0; i < 5; i++)
    await postrider.send({
      ...{ to: `slow-${i}@doubt.example`, subject: 'Your sign-in link', text: 'x', type: 'sign_in_link' },
      delivery: 'at-most-once',
    });
  for (let i = 0; i < 9; i++)
    await postrider.send({
      ...{ to: `later-${i}@busy.example`, subject: 'Team news', text: 'x', type: 'team_news', priority: 4 },
    });
  const tomorrow = new Date(Date.now() + 86_400_000);
  for (let i = 0; i < 24; i++)
    await postrider.schedule(
      {
        to: `${NAMES[i % 10]}@example.net`,
        subject: 'A reminder',
        text: 'x',
        type: 'reminder_note',
        priority: 1 + (i % 4),
      },
      tomorrow,
    );
}

/** Three domains misbehave, as domains do. */
async function answer(smtp, email, attempt) {
  const domain = email.to[0].address.split('@')[1];
  const said = (code, text) => ({
    stage: 'rcpt',
    responseCode: code,
    response: `${code} ${text}`,
    conversation: [
      'S: 220 mx.bounce.example ESMTP',
      'C: EHLO fjord.example',
      'S: 250 PIPELINING',
      `C: MAIL FROM:<${email.from.address}>`,
      'S: 250 2.1.0 Ok',
      `C: RCPT TO:<${email.to[0].address}>`,
      `S: ${code} ${text}`,
    ],
  });
  const failure = (scope, code, category, message, trace) => ({ scope, code, category, message, trace });
  if (domain === 'bounce.example') {
    const text = '5.1.1 The email account that you tried to reach does not exist';
    return {
      kind: 'rejected',
      ...failure('recipient', 'SMTP_550', 'PERMANENT_ERROR', `550 ${text}`, said(550, text)),
    };
  }
  if (domain === 'doubt.example')
    return {
      kind: 'unknown',
      ...failure('message', 'ETIMEDOUT', 'TIMEOUT_ERROR', 'The server did not answer after the last byte', {
        stage: 'dot',
      }),
    };
  if (domain === 'busy.example') {
    const text = '4.7.1 Greylisted, please try again later';
    return {
      kind: 'deferred',
      retryAt: Date.now() + 600_000,
      ...failure('recipient', 'SMTP_451', 'TRANSIENT_ERROR', `451 ${text}`, said(451, text)),
    };
  }
  return smtp.send(email, attempt);
}

async function waitUntil(condition) {
  const end = Date.now() + 30_000;
  for (;;) {
    const found = await condition();
    if (found) return found;
    if (Date.now() > end) throw new Error('The emails did not end in time.');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
