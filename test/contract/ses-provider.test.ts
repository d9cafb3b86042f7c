import { createRequire } from 'node:module';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/kernel/index.js';
import { createSesProvider } from '../../src/providers/index.js';
import { freePort } from '../services/index.js';
import { attempt, email, providerContract } from './provider.contract.js';

/** The SES provider against aws-ses-v2-local, an independent server of the second SES API. */
providerContract('ses', sesAccount);

test('every script, dots, attachments and a hidden recipient → SES reads them as they were meant', async () => {
  const { provider, stored, stop } = await sesAccount();
  onTestFinished(stop);
  const sent = email({
    subject: '확인 코드 – Grüße 🎉',
    text: 'Привет\n.\n..',
    html: '<p>שלום</p>',
    bcc: [{ address: 'hidden@example.net' }],
    recipients: ['reader@example.net', 'hidden@example.net'],
    attachments: [{ filename: 'ü.txt', contentType: 'text/plain', content: Buffer.from('attached') }],
  });
  expect(await provider.send(sent, attempt())).toMatchObject({ kind: 'sent' });
  const [found] = await stored();
  expect(found).toMatchObject({ subject: sent.subject, attachments: [{ filename: 'ü.txt' }] });
  expect(found!.body.text.trimEnd()).toBe(sent.text);
  expect(found!.body.html.trimEnd()).toBe(sent.html);
});

test('sendQuota → the numbers of the account', async () => {
  const { provider, stop } = await sesAccount();
  onTestFinished(stop);
  expect(await provider.sendQuota()).toEqual({ perSecond: 14, perDay: 50_000, sentLastDay: 3 });
});

// A CommonJS module, whose default export TypeScript and Vitest find in different places.
const { default: startSes } = createRequire(import.meta.url)('aws-ses-v2-local') as Pick<
  typeof import('aws-ses-v2-local'),
  'default'
>;

interface StoredEmail {
  subject: string;
  body: { text: string; html: string };
  attachments: { filename: string }[];
}

async function sesAccount() {
  process.env.AWS_SES_ACCOUNT = JSON.stringify(ACCOUNT);
  const port = await freePort();
  const server = await startSes({ host: '127.0.0.1', port });
  const endpoint = `http://127.0.0.1:${port}`;
  const provider = createSesProvider(
    { endpoint, region: 'eu-north-1', credentials: { accessKeyId: 'any', secretAccessKey: 'any' } },
    { clock: systemClock },
  );
  // The server keeps one store per process; only what came since counts.
  const since = (await allStored(endpoint)).length;
  const stored = async () => (await allStored(endpoint)).slice(since);
  return {
    provider,
    stored,
    received: async () => (await stored()).length,
    async stop() {
      await provider.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function allStored(endpoint: string): Promise<StoredEmail[]> {
  const response = await fetch(`${endpoint}/store`);
  return ((await response.json()) as { emails: StoredEmail[] }).emails;
}

const ACCOUNT = {
  DedicatedIpAutoWarmupEnabled: false,
  Details: {
    AdditionalContactEmailAddresses: [],
    ContactLanguage: 'EN',
    MailType: 'TRANSACTIONAL',
    ReviewDetails: { CaseId: '1', Status: 'GRANTED' },
    UseCaseDescription: 'tests',
    WebsiteURL: 'https://example.com',
  },
  EnforcementStatus: 'HEALTHY',
  ProductionAccessEnabled: true,
  SendingEnabled: true,
  SendQuota: { Max24HourSend: 50_000, MaxSendRate: 14, SentLast24Hours: 3 },
  SuppressionAttributes: { SuppressedReasons: [] },
};
