import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { isPostriderError, ManualClock } from '../../../kernel/index.js';
import type { HttpEnv } from '../request-context.js';
import type { RequestMemory } from '../request-memory.js';
import type { FetchBounds } from './attachment-input.js';
import { resendEmailRoutes } from './email-routes.js';
import type { ResendRooms } from './resend-rooms.js';

const LIMIT = 1024 ** 2;

function door(filledBytes: number) {
  const taken: unknown[][] = [];
  let filled = 0;
  const rooms = {
    defaultCompany: 'acme',
    templates: {
      async fill() {
        filled += 1;
        return { id: 't', html: 'x'.repeat(filledBytes) };
      },
    },
    async fetchFile(_url: string, _field: string, { take }: FetchBounds) {
      for (let n = 0; n < 8; n++) take(LIMIT / 16);
      return Buffer.alloc(LIMIT / 2);
    },
    emails: {
      async acceptBatch(inputs: unknown[]) {
        taken.push(inputs);
        return inputs.map(() => ({ emailId: 'id' }));
      },
      async acceptPermissively(inputs: unknown[]) {
        taken.push(inputs);
        return inputs.map((input) =>
          isPostriderError(input) ? { emailId: null, refused: input } : { emailId: 'id', refused: null },
        );
      },
    },
  } as unknown as ResendRooms;
  const app = new Hono<HttpEnv>();
  app.use(async (c, next) => {
    c.set('caller', { kind: 'root', name: 'test' });
    c.set('requestId', 'r');
    c.set('bodyLimitBytes', LIMIT);
    c.set('memory', { expect() {}, take() {}, giveBack() {} } as unknown as RequestMemory);
    await next();
  });
  app.onError((error, c) =>
    isPostriderError(error) ? c.json({ message: error.message, field: error.field }, 413) : c.text('', 500),
  );
  app.route('/', resendEmailRoutes({ rooms, clock: new ManualClock(0) }));
  const email = { from: 'a@example.com', to: 'b@example.net', subject: 'x', template: { id: 't' } };
  const post = (emails: object[], headers: object = {}) =>
    app.request('/emails/batch', {
      method: 'POST',
      body: JSON.stringify(emails),
      headers: { 'Content-Type': 'application/json', ...headers },
    });
  return { taken, post, email, filled: () => filled };
}

test('a small batch that fills templates into far more than a body may be → refused with the limit, not held', async () => {
  const { post, email, taken, filled } = door(300 * 1024);
  const answer = await post(Array.from({ length: 100 }, () => email));
  expect(await answer.json()).toEqual({
    message: `template is more than one request may bring: with all files and filled templates ${LIMIT} bytes.`,
    field: '[3].template',
  });
  expect(taken).toEqual([]);
  expect(filled()).toBe(4);
});

test('the same, each for itself → those that fit are accepted, small ones after a large one too', async () => {
  const { post, email } = door(300 * 1024);
  const large = { ...email, attachments: [{ path: 'https://x.test/file', filename: 'a' }] };
  const answer = await post([email, large, email], { 'X-Batch-Validation': 'permissive' });
  expect(await answer.json()).toMatchObject({
    data: [{ id: 'id' }, { id: 'id' }],
    errors: [{ index: 1, message: expect.stringContaining(`${LIMIT} bytes`) }],
  });
});

test('templates within the limit → accepted', async () => {
  const { post, email, taken } = door(100);
  expect((await post([email, email])).status).toBe(200);
  expect(taken[0]).toHaveLength(2);
});
