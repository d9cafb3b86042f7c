import { Resend } from 'resend';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDomains } from '../../src/access/index.js';
import { type Door, openDoor } from './ground/open-door.js';

/** What tenants keep besides emails, with the official client: suppressions, keys, domains, templates. */
let door: Door;
let resend: Resend;
const mail = { from: 'Acme <hi@acme.test>', to: 'ann@example.net', subject: 'Hello', html: '<p>Hi</p>' };

beforeAll(async () => {
  door = await openDoor();
  const { tenants, keys } = door.postrider.access;
  await tenants.create({ companyId: 'acme' });
  resend = client((await keys.create({ companyId: 'acme', name: 'full' })).token);
});
afterAll(() => door.close());

function client(key: string): Resend {
  return new Resend(key, { baseUrl: `${door.url}/resend` });
}

describe('suppressions', () => {
  test('added → not written to, found by id and by address, removed → written to again', async () => {
    const added = await resend.suppressions.add({ email: 'a+b@example.org' });
    expect(added.data).toEqual({ object: 'suppression', id: expect.any(String) });
    const again = await resend.suppressions.add({ email: 'A+B@example.org' });
    expect(again.data?.id).toBe(added.data!.id);
    const sent = await resend.emails.send({ ...mail, to: 'a+b@example.org' });
    expect((await resend.emails.get(sent.data!.id)).data?.last_event).toBe('suppressed');
    for (const name of [added.data!.id, 'a+b@example.org'])
      expect((await resend.suppressions.get(name)).data).toMatchObject({
        object: 'suppression',
        id: added.data!.id,
        email: 'a+b@example.org',
        origin: 'manual',
        source_id: null,
      });
    expect((await resend.suppressions.remove('a+b@example.org')).data).toEqual({
      object: 'suppression',
      id: added.data!.id,
      deleted: true,
    });
    expect((await resend.suppressions.get('a+b@example.org')).error).toMatchObject({
      name: 'not_found',
      statusCode: 404,
    });
  });

  test('many at once, pages and origins → each as it is', async () => {
    const emails = ['s1@example.org', 's2@example.org', 's3@example.org'];
    const added = await resend.suppressions.batch.add({ emails });
    expect(added.data?.data).toHaveLength(3);
    await door.postrider.suppressions.add(
      [
        { email: 's4@example.org', reason: 'bounce' },
        { email: 's5@example.org', reason: 'unsubscribe' },
      ],
      { companyId: 'acme' },
    );
    const all = (await resend.suppressions.list()).data!;
    expect(all.data[0]?.email).toBe('s4@example.org');
    expect(all.data.map(({ email }) => email).sort()).toEqual([...emails, 's4@example.org']);
    const bounced = (await resend.suppressions.list({ origin: 'bounce' })).data!;
    expect(bounced.data.map(({ email }) => email)).toEqual(['s4@example.org']);
    const page = (await resend.suppressions.list({ limit: 2, after: all.data[0]!.id })).data!;
    expect([page.data.map(({ id }) => id), page.has_more]).toEqual([
      all.data.slice(1, 3).map(({ id }) => id),
      true,
    ]);
    const removed = await resend.suppressions.batch.remove({ ids: added.data!.data.map(({ id }) => id) });
    expect(removed.data?.data).toHaveLength(3);
    expect((await resend.suppressions.batch.remove({ emails: ['s4@example.org'] })).data?.data).toHaveLength(
      1,
    );
    expect((await resend.suppressions.list({ origin: 'nothing' as never })).error?.name).toBe(
      'invalid_parameter',
    );
  });
});

describe('keys', () => {
  test('made by a key → works, renamed, listed without its token, removed → refused at once', async () => {
    const made = await resend.apiKeys.create({ name: 'CI', permission: 'sending_access' });
    expect(made.data).toEqual({ id: expect.any(String), token: expect.stringMatching(/^re_/) });
    const ci = client(made.data!.token);
    expect((await ci.emails.send(mail)).error).toBeNull();
    expect((await ci.apiKeys.create({ name: 'more' })).error?.name).toBe('restricted_api_key');
    expect((await resend.apiKeys.update(made.data!.id, { name: 'Build' })).data).toEqual({
      object: 'api_key',
      id: made.data!.id,
    });
    const listed = await resend.apiKeys.list();
    expect(listed.data?.data.map(({ name }) => name)).toEqual(['Build', 'full']);
    expect(JSON.stringify(listed.data)).not.toContain(made.data!.token.slice(3, 12));
    expect((await resend.apiKeys.remove(made.data!.id)).data).toEqual({
      object: 'api_key',
      id: made.data!.id,
      deleted: true,
    });
    expect((await ci.emails.send(mail)).error?.name).toBe('invalid_api_key');
    expect((await resend.apiKeys.remove(made.data!.id)).error?.name).toBe('not_found');
    expect((await resend.apiKeys.create({} as never)).error?.name).toBe('missing_required_field');
  });

  test('a key bound to a domain → makes none that reach further', async () => {
    const domain = (await resend.domains.create({ name: 'bound.test' })).data!;
    const other = (await resend.domains.create({ name: 'elsewhere.test' })).data!;
    const made = await resend.apiKeys.create({ name: 'bound', domain_id: domain.id });
    const bound = client(made.data!.token);
    expect((await bound.emails.send(mail)).error).toMatchObject({
      name: 'validation_error',
      statusCode: 403,
    });
    expect((await bound.emails.send({ ...mail, from: 'x@bound.test' })).error).toBeNull();
    expect((await bound.apiKeys.create({ name: 'wider', domain_id: other.id })).error?.statusCode).toBe(403);
    const child = client((await bound.apiKeys.create({ name: 'child' })).data!.token);
    expect((await child.emails.send(mail)).error?.statusCode).toBe(403);
  });
});

describe('domains', () => {
  test('added → shown with the record that proves it, changed, not verified without it, removed', async () => {
    const { data } = await resend.domains.create({ name: 'Shop.test', region: 'us-east-1' });
    expect(data).toMatchObject({ name: 'shop.test', status: 'not_started', region: 'us-east-1' });
    expect(data!.records[0]).toMatchObject({
      type: 'TXT',
      name: '_postrider.shop.test',
      status: 'not_started',
    });
    const id = data!.id;
    expect((await resend.domains.update({ id, openTracking: false })).data).toEqual({ object: 'domain', id });
    expect((await resend.domains.verify(id)).data).toEqual({ object: 'domain', id });
    expect((await resend.domains.get(id)).data).toMatchObject({ status: 'failed', open_tracking: false });
    expect((await resend.domains.create({ name: 'shop.test' })).error?.name).toBe('validation_error');
    expect((await resend.domains.create({ name: 'no domain' })).error?.name).toBe('validation_error');
    expect((await resend.domains.remove(id)).data).toEqual({ object: 'domain', id, deleted: true });
    expect((await resend.domains.get(id)).error?.name).toBe('not_found');
  });

  test('what a domain does not decide here → refused by name, on creating and on changing', async () => {
    const { id } = (await resend.domains.create({ name: 'plain.test', tls: 'opportunistic' })).data!;
    const asked = [
      [{ region: 'eu-west-1' }, 'region'],
      [{ openTracking: true }, 'open_tracking'],
      [{ clickTracking: true }, 'click_tracking'],
      [{ tls: 'enforced' }, 'tls'],
      [{ capabilities: { receiving: 'enabled' } }, 'capabilities.receiving'],
      [{ trackingSubdomain: 'go' }, 'tracking_subdomain'],
      [{ customReturnPath: 'back' }, 'custom_return_path'],
    ] as const;
    for (const [settings, field] of asked) {
      const made = await resend.domains.create({ name: 'other.test', ...(settings as object) });
      expect(made.error).toMatchObject({ name: 'validation_error', statusCode: 422 });
      expect(made.error?.message).toContain(`${field}: `);
    }
    const changed = await resend.domains.update({ id, clickTracking: true });
    expect(changed.error?.message).toContain('click_tracking: is not something Postrider does itself');
    expect((await resend.domains.list()).data?.data.map(({ name }) => name)).not.toContain('other.test');
    await resend.domains.remove(id);
  });

  test('the record is there → verified, and a tenant held to a list may send from it until it gives it up', async () => {
    const { tenants, keys } = door.postrider.access;
    await tenants.create({ companyId: 'held', fromDomains: ['granted.test'] });
    const held = client((await keys.create({ companyId: 'held', name: 'k' })).token);
    const published = new Map<string, string>();
    const domains = createDomains({
      database: () => door.postrider.ready(),
      strict: false,
      region: 'us-east-1',
      resolveTxt: async (name) => [published.get(name) ?? ''],
    });
    const by = { kind: 'library', name: 'test' } as const;
    const { id, record } = await domains.create('held', { name: 'proven.test' }, by);
    const from = 'a@proven.test';
    expect((await domains.verify('held', id, by)).status).toBe('failed');
    expect((await held.emails.send({ ...mail, from })).error?.statusCode).toBe(403);
    published.set(record.name, record.value);
    expect((await domains.verify('held', id, by)).status).toBe('verified');
    await expect.poll(async () => (await held.emails.send({ ...mail, from })).error).toBeNull();
    const listed = await held.domains.list();
    expect(listed.data?.data.map(({ name, status }) => [name, status]).sort()).toEqual([
      ['granted.test', 'verified'],
      ['proven.test', 'verified'],
    ]);
    // What the operator takes off the list is verified no longer, whoever has proven it.
    const shown = async () =>
      Object.fromEntries((await held.domains.list()).data!.data.map(({ name, status }) => [name, status]));
    await tenants.change('held', { fromDomains: ['other.test'] });
    expect(await shown()).toEqual({
      ...{ 'granted.test': 'not_started', 'proven.test': 'failed', 'other.test': 'verified' },
    });
    expect((await held.domains.get(id)).data?.status).toBe('failed');
    expect((await domains.verify('held', id, by)).status).toBe('verified');
    await held.domains.remove(id);
    await expect.poll(async () => (await held.emails.send({ ...mail, from })).error?.statusCode).toBe(403);
  });
});

describe('templates', () => {
  const template = {
    name: 'Order',
    alias: 'order',
    subject: 'Order {{{NUMBER}}}',
    from: 'Shop <shop@acme.test>',
    html: '<p>Dear {{{NAME}}}, {{{NUMBER}}} is on its way.</p>',
    variables: [
      { key: 'NAME', type: 'string' as const, fallbackValue: 'you' },
      { key: 'NUMBER', type: 'number' as const },
    ],
  };

  test('created and published in one chain → sent by alias with values and fallbacks', async () => {
    const made = await resend.templates.create(template as never).publish();
    expect(made.error).toBeNull();
    const sent = await resend.emails.send({
      to: mail.to,
      template: { id: 'order', variables: { NUMBER: 7 } },
    });
    expect(sent.error).toBeNull();
    expect((await resend.emails.get(sent.data!.id)).data).toMatchObject({
      from: 'Shop <shop@acme.test>',
      subject: 'Order 7',
      html: '<p>Dear you, 7 is on its way.</p>',
    });
    const without = await resend.emails.send({ to: mail.to, template: { id: made.data!.id } });
    expect(without.error).toMatchObject({
      name: 'missing_required_field',
      message: 'Missing `template.variables.NUMBER` field.',
    });
    const both = await resend.emails.send({ ...mail, template: { id: 'order' } } as never);
    expect(both.error?.name).toBe('validation_error');
  });

  test('a value with markup → text in two braces, HTML in three; a script or a line break in a subject → refused', async () => {
    const made = await resend.templates
      .create({
        ...{ name: 'Reply', alias: 'reply', from: 'Shop <shop@acme.test>', subject: 'About {{ABOUT}}' },
        html: '<p>{{SAID}}</p><div>{{{BLOCK}}}</div><a href="{{LINK}}">more</a>',
        variables: ['ABOUT', 'SAID', 'BLOCK', 'LINK'].map((key) => ({ key, type: 'string' as const })),
      } as never)
      .publish();
    expect(made.error).toBeNull();
    const variables = {
      ...{
        ABOUT: 'R&D <1>',
        SAID: '<b onclick="a()">hi</b>',
        BLOCK: '<i>so</i>',
        LINK: 'https://x.test/?a&b',
      },
    };
    const send = (values: object) =>
      resend.emails.send({ to: mail.to, template: { id: 'reply', variables: { ...variables, ...values } } });
    const sent = await send({});
    expect((await resend.emails.get(sent.data!.id)).data).toMatchObject({
      subject: 'About R&D <1>',
      html:
        '<p>&lt;b onclick=&quot;a()&quot;&gt;hi&lt;/b&gt;</p><div><i>so</i></div>' +
        '<a href="https://x.test/?a&amp;b">more</a>',
    });
    for (const values of [
      { BLOCK: '<b onclick="a()">hi</b>' },
      { BLOCK: '<script>a()</script>' },
      { LINK: 'javascript:a()' },
      { ABOUT: 'x\r\nBcc: eve@example.net' },
    ])
      expect((await send(values)).error?.statusCode, JSON.stringify(values)).toBe(422);
  });

  test('changed → sent as published until it is published again; duplicated, listed, removed', async () => {
    const { data } = await resend.templates.get('order');
    expect(data).toMatchObject({ status: 'published', has_unpublished_versions: false, alias: 'order' });
    await resend.templates.update('order', { html: '<p>New {{{NUMBER}}}</p>' });
    expect((await resend.templates.get(data!.id)).data).toMatchObject({
      has_unpublished_versions: true,
      subject: 'Order {{{NUMBER}}}',
    });
    const html = async () => {
      const sent = await resend.emails.send({
        to: mail.to,
        template: { id: 'order', variables: { NUMBER: 8 } },
      });
      return (await resend.emails.get(sent.data!.id)).data?.html;
    };
    expect(await html()).toContain('on its way');
    await resend.templates.publish('order');
    expect(await html()).toBe('<p>New 8</p>');
    const copy = await resend.templates.duplicate('order');
    expect((await resend.templates.get(copy.data!.id)).data).toMatchObject({ status: 'draft', alias: null });
    expect((await resend.emails.send({ to: mail.to, template: { id: copy.data!.id } })).error?.name).toBe(
      'validation_error',
    );
    expect((await resend.templates.list({ limit: 1 })).data).toMatchObject({ has_more: true });
    expect((await resend.templates.create(template as never)).error?.name).toBe('validation_error');
    expect((await resend.templates.remove('order')).data).toMatchObject({
      object: 'template',
      deleted: true,
    });
    expect((await resend.templates.get('order')).error).toMatchObject({ name: 'not_found', statusCode: 404 });
  });
});
