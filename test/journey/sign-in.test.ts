import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../services/index.js';
import { type Answer, type Door, openDoor } from './ground/open-door.js';
import { openEmbedded } from './ground/open-embedded.js';
import { deferred, sent } from './ground/scripted-provider.js';

/** Operators sign in over a real socket; codes are read where a person would read them: in the email. */
const PASSWORD = 'correct horse battery';
let door: Door;
let count = 0;

describe('signing in', () => {
  beforeAll(async () => {
    door = await openDoor({ trustedProxies: 1 });
    codeFor = acceptedCode;
  });
  afterAll(() => door.close());

  test('password, then the code from the email → a session that knows who it is; no token in any answer', async () => {
    const { email } = await account({ name: 'Ada', role: 'viewer' });
    const { jar, code } = await begin(email);
    const answer = await post('/auth/code', { code }, jar);
    expect(answer.body).toEqual({
      admin: { id: expect.any(String), email, name: 'Ada', role: 'viewer' },
      expiresAt: expect.any(String),
    });
    jar.take(answer);
    expect(jar.names()).toEqual(['postrider_session']);
    for (const token of jar.values()) expect(answer.text).not.toContain(token);
    expect((await me(jar)).body).toMatchObject({ email, name: 'Ada', role: 'viewer' });
  });

  test('between password and code → nothing answers but the code step', async () => {
    const { email } = await account({ role: 'admin' });
    const { jar } = await begin(email);
    expect(jar.names()).toEqual(['postrider_code']);
    const [token] = jar.values();
    for (const cookie of [jar.cookie(), `postrider_session=${token}`, `__Host-postrider_session=${token}`]) {
      for (const path of ['/auth/me', '/admin/keys', '/admin/emails', '/v1/emails', '/metrics', '/nothing']) {
        const answer = await door.call('GET', path, { as: null, headers: { Cookie: cookie } });
        expect(answer.status, `${path} with ${cookie.slice(0, 20)}`).toBe(401);
      }
    }
  });

  test('a wrong password, an unknown address, a disabled account → one answer, and about the same time', async () => {
    const known = await account();
    const disabled = await account();
    await door.call('PATCH', `/admin/admins/${disabled.id}`, { body: { disabled: true } });
    const answers: Answer[] = [];
    const times: number[][] = [[], [], []];
    for (let round = 0; round < 5; round++) {
      for (const [which, email] of [known.email, 'nobody@example.com', disabled.email].entries()) {
        const before = performance.now();
        const password = which === 2 ? PASSWORD : 'something else entirely';
        answers.push(await post('/auth/sign-in', { email, password }));
        times[which]!.push(performance.now() - before);
      }
    }
    const seen = answers.map(({ status, body: { requestId, ...body }, headers }) =>
      JSON.stringify([status, body, headers.get('set-cookie')]),
    );
    expect(new Set(seen).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 401, body: { code: 'SIGN_IN_FAILED' } });
    // The work is scrypt in each case; without it an unknown address would answer many times faster.
    const fastest = times.map((list) => Math.min(...list));
    expect(Math.min(...fastest)).toBeGreaterThan(Math.max(...fastest) / 3);
  });

  test('the code → opens one session, however many present it at once', async () => {
    const { email } = await account();
    const { jar, code } = await begin(email);
    const answers = await Promise.all(Array.from({ length: 4 }, () => post('/auth/code', { code }, jar)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    expect((await post('/auth/code', { code }, jar)).body.code).toBe('CODE_WRONG');
  });

  test('one of several sign-ins was finished → the codes of the others open nothing, those of another account do', async () => {
    const { email } = await account();
    const other = await begin((await account()).email);
    const begun = [await begin(email), await begin(email), await begin(email)];
    const { jar, code } = begun[1]!;
    expect((await post('/auth/code', { code }, jar)).status).toBe(200);
    for (const one of begun)
      expect((await post('/auth/code', { code: one.code }, one.jar)).body.code).toBe('CODE_WRONG');
    expect((await post('/auth/code/resend', {}, begun[2]!.jar)).body.code).toBe('SIGN_IN_NOT_BEGUN');
    expect((await post('/auth/code', { code: other.code }, other.jar)).status).toBe(200);
  });

  test('forty wrong codes at once → five are judged, and then the right one is worth nothing', async () => {
    const { email, id } = await account();
    const { jar, code } = await begin(email);
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => post('/auth/code', { code: wrong(code) }, jar)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    const { rows } = await door.pool.query('select tries from postrider.admin_sign_ins where admin_id = $1', [
      id,
    ]);
    expect(rows).toEqual([{ tries: 5 }]);
    expect((await post('/auth/code', { code }, jar)).body.code).toBe('CODE_WRONG');
  });

  test('a code of another sign-in, of another account, ten minutes old → CODE_WRONG', async () => {
    const one = await account();
    const two = await account();
    const first = await begin(one.email);
    const second = await begin(one.email);
    const foreign = await begin(two.email);
    if (first.code !== second.code)
      expect((await post('/auth/code', { code: second.code }, first.jar)).status).toBe(401);
    expect((await post('/auth/code', { code: first.code }, foreign.jar)).status).toBe(401);
    await door.pool.query(
      `update postrider.admin_sign_ins set expires_at = now() - interval '1 second' where admin_id = $1`,
      [one.id],
    );
    expect((await post('/auth/code', { code: second.code }, second.jar)).body.code).toBe('CODE_WRONG');
    const { rows } = await door.pool.query(
      `select extract(epoch from expires_at - sent_at)::int as seconds from postrider.admin_sign_ins where admin_id = $1`,
      [two.id],
    );
    expect(rows).toEqual([{ seconds: 600 }]);
  });

  test('asked to send again → not at once, then a new code and the old one is worth nothing; three times at most', async () => {
    const { email, id } = await account();
    const { jar, code } = await begin(email);
    const resend = () => post('/auth/code/resend', {}, jar);
    const soon = await resend();
    expect([soon.status, soon.body.code]).toEqual([429, 'TOO_MANY_TRIES']);
    expect(Number(soon.headers.get('retry-after'))).toBeGreaterThan(20);
    const past = () =>
      door.pool.query(
        `update postrider.admin_sign_ins set sent_at = sent_at - interval '31 seconds' where admin_id = $1`,
        [id],
      );
    for (let n = 0; n < 3; n++) {
      await past();
      expect((await resend()).status).toBe(200);
    }
    await past();
    expect((await resend()).status).toBe(429);
    const newest = await codeFor(email);
    if (newest !== code) expect((await post('/auth/code', { code }, jar)).status).toBe(401);
    expect((await post('/auth/code', { code: newest }, jar)).status).toBe(200);
  });

  test('eleven passwords for one account from one place → 429 with Retry-After, also for an account that is none', async () => {
    const { email } = await account();
    for (const who of [email, 'nobody-else@example.com']) {
      const place = { 'X-Forwarded-For': '10.9.9.9' };
      const statuses: number[] = [];
      for (let n = 0; n < 11; n++)
        statuses.push(
          (await post('/auth/sign-in', { email: who, password: 'not the right one' }, null, place)).status,
        );
      expect(statuses).toEqual([...Array(10).fill(401), 429]);
    }
    const elsewhere = await post('/auth/sign-in', { email, password: PASSWORD });
    expect(elsewhere.status).toBe(200);
  });

  test('twenty wrong codes spread over sign-ins → the account waits, even with the right password', async () => {
    const { email } = await account();
    for (let n = 0; n < 4; n++) {
      const { jar, code } = await begin(email);
      for (let k = 0; k < 5; k++) await post('/auth/code', { code: wrong(code) }, jar);
    }
    expect((await post('/auth/sign-in', { email, password: PASSWORD })).status).toBe(429);
  });

  test('signing in again → a new token, and the old session is over', async () => {
    const { admin, jar } = await signedIn();
    const [before] = jar.values();
    const again = await begin(admin.email, jar);
    jar.take(await post('/auth/code', { code: again.code }, jar));
    expect(jar.values()).not.toContain(before);
    expect((await me(jar)).status).toBe(200);
    expect((await me(new Jar({ postrider_session: before! }))).status).toBe(401);
  });

  test('signed out → over; everywhere → over in every browser', async () => {
    const { admin, jar } = await signedIn();
    const other = await begin(admin.email);
    other.jar.take(await post('/auth/code', { code: other.code }, other.jar));
    const third = await begin(admin.email);
    third.jar.take(await post('/auth/code', { code: third.code }, third.jar));
    expect((await post('/auth/sign-out', {}, jar)).status).toBe(200);
    expect((await me(jar)).status).toBe(401);
    expect((await me(third.jar)).status).toBe(200);
    expect((await post('/auth/sign-out', { everywhere: true }, other.jar)).status).toBe(200);
    expect([(await me(other.jar)).status, (await me(third.jar)).status]).toEqual([401, 401]);
  });

  test.each([
    ['disabled', { disabled: true }],
    ['given another password', { password: 'another long password' }],
    ['given another role', { role: 'viewer' }],
  ])('an account that is %s → out at once', async (_case, change) => {
    const { admin, jar } = await signedIn();
    expect((await me(jar)).status).toBe(200);
    await door.call('PATCH', `/admin/admins/${admin.id}`, { body: change });
    expect((await me(jar)).status).toBe(401);
  });

  test.each([
    ['idle', `seen_at = now() - interval '31 minutes'`],
    ['old', `expires_at = now() - interval '1 second'`],
  ])('a session that is %s → over', async (_case, change) => {
    const { admin, jar } = await signedIn();
    await door.pool.query(`update postrider.admin_sessions set ${change} where admin_id = $1`, [admin.id]);
    expect((await me(jar)).status).toBe(401);
  });

  test('used → its idle time begins anew, its end stays', async () => {
    const { admin, jar } = await signedIn();
    await door.pool.query(
      `update postrider.admin_sessions set seen_at = now() - interval '20 minutes' where admin_id = $1`,
      [admin.id],
    );
    expect((await me(jar)).status).toBe(200);
    const { rows } = await door.pool.query(
      `select now() - seen_at < interval '1 minute' as fresh, extract(epoch from expires_at - created_at)::int as seconds
       from postrider.admin_sessions where admin_id = $1`,
      [admin.id],
    );
    expect(rows).toEqual([{ fresh: true, seconds: 12 * 3600 }]);
  });

  test.each([
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a sibling host', { 'Sec-Fetch-Site': 'same-site' }],
    ['no page at all', { 'Sec-Fetch-Site': 'none' }],
    ['an old browser on another site', { 'Sec-Fetch-Site': '', Origin: 'https://evil.example' }],
    ['an old browser in a sandbox', { 'Sec-Fetch-Site': '', Origin: 'null' }],
    ['who says nothing', { 'Sec-Fetch-Site': '' }],
  ])('a write with the session from %s → 403, nothing happens', async (_case, headers) => {
    const { jar } = await signedIn({ role: 'admin' });
    const said = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
    const answer = await door.call('POST', '/admin/tenants', {
      as: null,
      body: { companyId: 'forged' },
      headers: { Cookie: jar.cookie(), ...said },
    });
    expect(answer.status).toBe(403);
    const { rowCount } = await door.pool.query(`select 1 from postrider.tenants where id = 'forged'`);
    expect(rowCount).toBe(0);
  });

  test('over TLS → __Host- cookies: Secure, HttpOnly, Strict, for the whole host and no other', async () => {
    const { email } = await account();
    const ask = (path: string, body: object, cookie = '') =>
      door.app.request(`https://mail.example.com${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Origin: 'https://mail.example.com', Cookie: cookie },
        body: JSON.stringify(body),
      });
    const first = await ask('/auth/sign-in', { email, password: PASSWORD });
    expect(first.headers.get('set-cookie')).toMatch(/^__Host-postrider_code=/);
    const begun = first.headers.get('set-cookie')!.split(';')[0]!;
    const second = await ask('/auth/code', { code: await codeFor(email) }, begun);
    const set = second.headers.getSetCookie().find((line) => line.includes('_session='))!;
    expect(set).toMatch(/^__Host-postrider_session=[A-Za-z0-9_-]{43};/);
    for (const part of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Strict']) expect(set).toContain(part);
    expect(set).not.toMatch(/Domain/i);
  });

  test('Host: localhost from another machine → __Host- cookies all the same', async () => {
    const { email } = await account();
    const answer = await post('/auth/sign-in', { email, password: PASSWORD }, null, {
      'X-Forwarded-For': '203.0.113.9',
    });
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-postrider_code=.*Secure/);
  });

  test('an act whose path holds NUL and a line break → 404, and in the audit log as they were written', async () => {
    const { admin, jar } = await signedIn({ role: 'admin' });
    const answer = await post('/admin/webhooks/a%00b%0Ac/replay', { since: '2026-01-01' }, jar);
    expect(answer.status).toBe(404);
    const { body } = await door.call('GET', `/admin/audit?actor=${encodeURIComponent(admin.email)}`);
    expect(body.entries[0]).toMatchObject({ outcome: 'refused', target: 'a%00b%0Ac/replay' });
  });

  test('every act → in the audit log with who, what, from where; the log cannot be changed', async () => {
    const { admin, jar } = await signedIn({ role: 'admin' });
    await post('/admin/tenants', { companyId: 'audited' }, jar, { 'X-Forwarded-For': '10.1.0.4' });
    await post('/admin/emails/cancel', { filter: { companyId: 'audited' } }, jar);
    await post('/admin/emails/cancel', { filter: 7 }, jar);
    const { body } = await door.call('GET', `/admin/audit?actor=${encodeURIComponent(admin.email)}`);
    expect(
      body.entries.map((entry: { action: string; outcome: string }) => [entry.action, entry.outcome]),
    ).toEqual([
      ['POST /admin/emails/cancel', 'refused'],
      ['POST /admin/emails/cancel', 'asked'],
      ['POST /admin/emails/cancel', 'asked'],
      ['tenant.create', 'done'],
      ['session.open', 'done'],
    ]);
    expect(body.entries[3]).toMatchObject({
      actor: { kind: 'admin', id: admin.id, name: admin.email },
      target: 'audited',
      companyId: 'audited',
      ip: '10.1.0.4',
      requestId: expect.any(String),
    });
    for (const change of [
      `update postrider.audit_log set action = 'x'`,
      'delete from postrider.audit_log',
      'truncate postrider.audit_log',
    ])
      await expect(door.pool.query(change)).rejects.toThrow('only added to');
  });

  test('an operator changes an override of the admin portal → 403; of another portal they may, and an admin may both', async () => {
    const { jar: operator } = await signedIn({ role: 'operator' });
    const { jar: admin } = await signedIn({ role: 'admin' });
    const draft = { companyId: 'acme', subject: 'Hello', htmlContent: '<p>{{code}}</p>' };
    const change = (method: string, path: string, jar: Jar, body?: object) =>
      door.call(method, `/admin/templates/${path}`, {
        as: null,
        ...(body && { body }),
        headers: { 'Sec-Fetch-Site': 'same-origin', Cookie: jar.cookie() },
      });
    const acts: Array<[string, string, object?]> = [
      ['PUT', 'draft', draft],
      ['POST', 'publish', { companyId: 'acme' }],
      ['POST', 'active', { companyId: 'acme', isActive: false }],
      ['POST', 'roll-back', { companyId: 'acme', version: 1 }],
      ['PUT', 'draft', draft],
      ['DELETE', 'draft?companyId=acme'],
    ];
    for (const [method, act, body] of acts) {
      const refused = await change(method, `admin_tfa/en/${act}`, operator, body);
      expect([act, refused.status, refused.body?.code]).toEqual([act, 403, 'FORBIDDEN']);
      const done = await change(method, `admin_tfa/en/${act}`, admin, body);
      expect([act, done.status < 300, done.text]).toEqual([act, true, done.text]);
    }
    const other = { companyId: 'acme', subject: 'Hello', htmlContent: '<p>{{name}}</p>' };
    expect((await change('PUT', 'password_reset/en/draft', operator, other)).status).toBe(200);
  });

  test('the last admin → can be neither disabled nor demoted', async () => {
    const { rows } = await door.pool.query(
      `update postrider.admins set role = 'operator' where role = 'admin' returning id`,
    );
    expect(rows.length).toBeGreaterThan(0);
    const last = await account({ role: 'admin' });
    for (const change of [{ disabled: true }, { role: 'viewer' }]) {
      const answer = await door.call('PATCH', `/admin/admins/${last.id}`, { body: change });
      expect([answer.status, answer.body.code]).toEqual([409, 'LAST_ADMIN']);
    }
    const renamed = await door.call('PATCH', `/admin/admins/${last.id}`, { body: { name: 'Still' } });
    expect(renamed.body).toMatchObject({ name: 'Still', role: 'admin', disabledAt: null });
  });

  test.each([
    ['too short', 'short'],
    ['one letter many times', 'aaaaaaaaaaaaaaaa'],
    ['the address', 'weak@example.com'],
  ])('a password that is %s → refused', async (_case, password) => {
    const answer = await door.call('POST', '/admin/admins', {
      body: { email: 'weak@example.com', password },
    });
    expect([answer.status, answer.body.field]).toEqual([400, 'password']);
  });
});

describe('signing in where a worker delivers', () => {
  beforeAll(async () => {
    door = await openDoor({ trustedProxies: 1 });
    codeFor = sentCode;
    await door.postrider.start();
  });
  afterAll(() => door.close());

  test('the code leaves by itself, as admin_tfa; no log line, audit entry or table has it afterwards', async () => {
    const { email } = await account();
    const { code } = await begin(email);
    const bodies = async () => {
      const { rows } = await door.pool.query<{ type: string; text: string | null }>(
        `select e.type, b.text from postrider.emails e left join postrider.email_bodies b on b.email_id = e.id
         where e.to_address = $1`,
        [email],
      );
      return rows;
    };
    await waitFor(async () => (await bodies())[0]!.text === null, {
      timeoutMs: 10_000,
      what: 'its body to be gone',
    });
    expect(await bodies()).toEqual([{ type: 'admin_tfa', text: null }]);
    expect(door.lines.join('\n')).not.toContain(code);
    const { rows } = await door.pool.query('select detail::text from postrider.audit_log');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(code);
  });

  test('mail is down → someone on the machine gets the code, and nobody else', async () => {
    const { email, id } = await account();
    const none = await door.call('POST', `/admin/admins/${id}/code`);
    expect([none.status, none.body.code]).toEqual([401, 'SIGN_IN_NOT_BEGUN']);
    const admin = await signedIn({ role: 'admin' });
    door.provider.script(email, deferred);
    const { jar } = await begin(email);
    await waitFor(async () => (await statusOf(email)) === 'retry', {
      timeoutMs: 10_000,
      what: 'the code to wait for mail to work again',
    });
    const { body } = await door.call('POST', `/admin/admins/${email}/code`);
    expect(body.code).toMatch(/^\d{6}$/);
    expect((await post(`/admin/admins/${id}/code`, {}, admin.jar)).status).toBe(403);
    expect((await post('/auth/code', { code: body.code }, jar)).status).toBe(200);
  });
});

test('on the embedded store → password, code, session, sign-out', async () => {
  const { postrider, provider, close } = await openEmbedded();
  try {
    const { admins, signIn, sessions } = postrider.access;
    await admins.create({ email: 'op@example.com', role: 'admin', password: 'correct horse battery' });
    await postrider.start();
    const texts: string[] = [];
    provider.script('op@example.com', async (email) => {
      texts.push(email.text);
      return sent(email.id);
    });
    const credentials = { email: 'OP@example.com', password: 'correct horse battery' };
    const begun = await signIn.begin(credentials, { ip: null });
    const text = await waitFor(() => texts[0], { timeoutMs: 10_000, what: 'the code' });
    const code = codeIn(text);
    const opened = await signIn.finish(begun.token, { code }, { ip: null });
    const admin = await sessions.find(opened.token);
    expect(admin).toMatchObject({ email: 'op@example.com', role: 'admin' });
    await sessions.closeAll(admin!, { kind: 'library', name: 'test' });
    expect(await sessions.find(opened.token)).toBeNull();
  } finally {
    await close();
  }
});

/** Where the code of this address is read. */
let codeFor: (email: string) => Promise<string>;

/** Where no worker runs; one that does purges the content of a code once it is sent. */
async function acceptedCode(email: string): Promise<string> {
  const { rows } = await door.pool.query(
    `select b.text from postrider.emails e join postrider.email_bodies b on b.email_id = e.id
     where e.to_address = $1 and e.type = 'admin_tfa' order by e.id desc limit 1`,
    [email],
  );
  return codeIn(rows[0].text);
}

async function sentCode(email: string): Promise<string> {
  const call = await waitFor(() => door.provider.calls.findLast(({ to }) => to === email), {
    timeoutMs: 10_000,
    what: 'the code to be handed to the provider',
  });
  return codeIn(call.email.text);
}

async function statusOf(to: string): Promise<string> {
  const { rows } = await door.pool.query(
    'select l.status::text from postrider.email_logs l join postrider.emails e on e.id = l.id where e.to_address = $1',
    [to],
  );
  return rows[0].status;
}

function codeIn(text: string): string {
  return /\b\d{6}\b/.exec(text)![0];
}

async function account(parts: object = {}): Promise<{ id: string; email: string }> {
  count += 1;
  const body = {
    email: `op-${count}@example.com`,
    name: 'Op',
    role: 'operator',
    password: PASSWORD,
    ...parts,
  };
  const answer = await door.call('POST', '/admin/admins', { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

function freshPlace(): string {
  count += 1;
  return `fd00:db8:0:${count.toString(16)}::1`;
}

/** Each from a place of its own, unless a test says otherwise. */
function post(path: string, body: unknown, jar: Jar | null = null, headers: Record<string, string> = {}) {
  return door.call('POST', path, {
    as: null,
    body,
    headers: {
      'Sec-Fetch-Site': 'same-origin',
      'X-Forwarded-For': freshPlace(),
      ...(jar && { Cookie: jar.cookie() }),
      ...headers,
    },
  });
}

function me(jar: Jar) {
  return door.call('GET', '/auth/me', { as: null, headers: { Cookie: jar.cookie() } });
}

async function begin(email: string, jar = new Jar()): Promise<{ jar: Jar; code: string }> {
  const answer = await post('/auth/sign-in', { email, password: PASSWORD }, jar);
  expect(answer.status, answer.text).toBe(200);
  jar.take(answer);
  return { jar, code: await codeFor(email) };
}

async function signedIn(parts: object = {}) {
  const admin = await account(parts);
  const { jar, code } = await begin(admin.email);
  const answer = await post('/auth/code', { code }, jar);
  expect(answer.status, answer.text).toBe(200);
  jar.take(answer);
  return { admin, jar };
}

function wrong(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
}

/** What a browser keeps between answers. */
class Jar {
  constructor(private readonly kept: Record<string, string> = {}) {}
  take(answer: Answer): void {
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '' || /Max-Age=0/i.test(line)) delete this.kept[name!];
      else this.kept[name!] = value!;
    }
  }
  cookie(): string {
    return Object.entries(this.kept)
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
  }
  names = () => Object.keys(this.kept);
  values = () => Object.values(this.kept);
}
