import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { isPostriderError, ManualClock } from '../../../kernel/index.js';
import type { HttpEnv } from '../request-context.js';
import type { RequestMemory } from '../request-memory.js';
import { createAttachmentLinks } from './attachment-links.js';
import { resendAttachmentRoutes } from './attachment-routes.js';
import type { LinkedFile, ResendRooms } from './resend-rooms.js';
import { resendShareRoutes } from './share-routes.js';

const EMAIL = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
const HOUR_MS = 3_600_000;

function ground(keys = ['one']) {
  const clock = new ManualClock();
  const disabled = new Set<string>();
  const links = createAttachmentLinks({ keys, clock, isDisabled: async (tenant) => disabled.has(tenant) });
  const file = (parts: Partial<LinkedFile> = {}): LinkedFile => ({
    ...{ companyId: 'acme', emailId: EMAIL, attachmentId: 'email', expiresAt: clock.now() + HOUR_MS },
    ...parts,
  });
  return { clock, disabled, links, file };
}

describe('a link', () => {
  test('before its end → the file it was made for; at its end and ever after → nothing', async () => {
    const { clock, links, file } = ground();
    const linked = file();
    const token = links.sign(linked);
    expect(await links.read(token)).toEqual(linked);
    clock.advance(HOUR_MS - 1);
    expect(await links.read(token)).toEqual(linked);
    clock.advance(1);
    expect(await links.read(token)).toBeNull();
    clock.advance(365 * 24 * HOUR_MS);
    expect(await links.read(token)).toBeNull();
  });

  test('each with an end of its own → that of another does not count', async () => {
    const { clock, links, file } = ground();
    const short = links.sign(file());
    const long = links.sign(file({ expiresAt: clock.now() + 3 * HOUR_MS }));
    clock.advance(2 * HOUR_MS);
    expect([await links.read(short), (await links.read(long))?.emailId]).toEqual([null, EMAIL]);
  });

  test.each(['companyId', 'emailId', 'attachmentId', 'expiresAt'] as const)(
    'its %s changed → nothing',
    async (field) => {
      const { links, file } = ground();
      const [, signature] = links.sign(file()).split('.');
      const other = links.sign(file({ [field]: field === 'expiresAt' ? 9e15 : 'other' })).split('.')[0];
      expect(await links.read(`${other}.${signature}`)).toBeNull();
    },
  );

  test('signed by an older key that is still given → good; by one that is gone → nothing', async () => {
    const { links, file } = ground(['old']);
    const token = links.sign(file());
    expect(await ground(['new', 'old']).links.read(token)).toEqual(file());
    expect(await ground(['new']).links.read(token)).toBeNull();
  });

  test('its tenant disabled → nothing until it is enabled again', async () => {
    const { links, file, disabled } = ground();
    const token = links.sign(file());
    disabled.add('acme');
    expect(await links.read(token)).toBeNull();
    disabled.clear();
    expect(await links.read(token)).toEqual(file());
  });
});

describe('what a link opens', () => {
  function door() {
    const { clock, links } = ground();
    const rooms = {
      ...{ defaultCompany: 'acme', publicUrl: 'https://mail.example.com', links },
      emails: {
        find: async () => ({ html: '<p>whole</p>' }),
        shown: async () => ({ html: '<p>whole</p>', attachments: [] }),
        files: async () =>
          [0, 1].map((index) => ({ index, filename: `${index}.txt`, contentType: 'text/plain', size: 1 })),
        file: async (_company: string, _email: string, index: number) => ({
          filename: `${index}.txt`,
          content: new TextEncoder().encode(`file ${index}`),
        }),
      },
    } as unknown as ResendRooms;
    const app = new Hono<HttpEnv>();
    app.use(async (c, next) => {
      c.set('caller', { kind: 'root', name: 'test' });
      c.set('requestId', 'r');
      c.set('bodyLimitBytes', 1024);
      c.set('memory', {
        expect() {},
        take() {},
        giveBack() {},
        takeForAnswer() {},
      } as unknown as RequestMemory);
      await next();
    });
    app.onError((error, c) =>
      isPostriderError(error) ? c.json({ code: error.code }, 404) : c.text(String(error), 500),
    );
    app.route('/', resendShareRoutes({ rooms, clock }));
    app.route('/', resendAttachmentRoutes({ rooms, clock }));
    const tokenOf = (url: string) => url.split('/').at(-1)!;
    const fileTokens = async () => {
      const answer = (await (await app.request(`/emails/${EMAIL}/attachments`)).json()) as {
        data: Array<{ download_url: string }>;
      };
      return answer.data.map((file) => tokenOf(file.download_url));
    };
    const wholeToken = async (expires_in?: string) => {
      const body = JSON.stringify(expires_in === undefined ? {} : { expires_in });
      const headers = { 'Content-Type': 'application/json' };
      const answer = await app.request(`/emails/${EMAIL}/share`, { method: 'POST', body, headers });
      return tokenOf(((await answer.json()) as { url: string }).url);
    };
    const get = async (path: string) => {
      const answer = await app.request(path);
      return [answer.status, await answer.text()] as const;
    };
    return { clock, get, fileTokens, wholeToken };
  }

  test('a link to a file → that file alone, and never the whole email', async () => {
    const { get, fileTokens } = door();
    for (const [index, token] of (await fileTokens()).entries()) {
      expect(await get(`/attachments/${token}`)).toEqual([200, `file ${index}`]);
      const [status, text] = await get(`/shared/${token}`);
      expect(status).toBe(404);
      expect(text).not.toContain('whole');
    }
  });

  test('a link to the whole email → the email, and none of its files as a download', async () => {
    const { get, wholeToken } = door();
    const token = await wholeToken();
    const [status, page] = await get(`/shared/${token}`);
    expect(status).toBe(200);
    expect(page).toContain('whole');
    expect((await get(`/attachments/${token}`))[0]).toBe(404);
  });

  test('after the time that was asked for → it opens nothing', async () => {
    const { clock, get, wholeToken, fileTokens } = door();
    const [short, long, [file]] = [await wholeToken('30m'), await wholeToken('12h'), await fileTokens()];
    clock.advance(HOUR_MS);
    const statuses = await Promise.all(
      [`/shared/${short}`, `/shared/${long}`, `/attachments/${file}`].map(
        async (path) => (await get(path))[0],
      ),
    );
    expect(statuses).toEqual([404, 200, 404]);
  });
});
