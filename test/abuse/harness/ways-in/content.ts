import { type Attack, type Outcome, outcomeOf } from '../attack.js';
import { distinct, type Entry, framed, nested, templateLanguage, tokens } from '../dictionary.js';
import { type Answer, callUntil, json } from '../http-client.js';
import type { Target } from '../target.js';

/**
 * Content on its later ways: an email that is read again on every page that shows one; stored templates and their values;
 * overrides as draft, preview and published; broadcasts for each of their recipients; the frame of the dashboard.
 */
const KB = 1024;
const CONTENT_BYTES = 511 * KB;
/** What one request may bring, in its body and beside it. */
const BODY_BYTES = 16 * 1024 * KB;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const markup = [...tokens, ...distinct, ...nested, ...framed];
/** A template of our own has half of what a body has. */
const SOURCE_BYTES = 255 * KB;

export function* contentAttacks(): Generator<Attack> {
  for (const entry of markup) {
    yield content('email that is read', 'html', entry, readAgain);
    yield content('POST /dashboard/frame', 'html', entry, (target, html) =>
      frame(target, `html=${encodeURIComponent(html)}`),
    );
    yield content('POST /dashboard/frame', 'body', entry, frame);
    for (const field of ['html', 'text', 'subject']) {
      yield content('stored template', field, entry, (target, text) =>
        storedTemplate(target, { [field]: text }, 'x'),
      );
    }
    yield content('stored template', 'variables.A', entry, (target, text) =>
      storedTemplate(target, {}, text),
    );
    for (const field of ['htmlContent', 'textContent', 'subject'])
      yield content('override', field, entry, (target, text) => override(target, { [field]: text }));
  }
  for (const entry of [...tokens, ...framed.filter((_, index) => index % 7 === 0)])
    for (const field of ['html', 'text', 'subject', 'preview_text'])
      yield content('broadcast', field, entry, (target, text) => broadcast(target, { [field]: text }));
  for (const entry of [...tokens, ...distinct])
    for (const field of Object.keys(TYPED_DATA))
      yield content('typed email', `data.${field}`, entry, async (target, text) =>
        outcomeOf(await sendTyped(target, 'en', { [field]: text })),
      );
  for (const entry of templateLanguage)
    for (const field of ['htmlContent', 'textContent', 'subject'])
      for (const bytes of [60 * KB, SOURCE_BYTES])
        yield {
          ...{ wayIn: 'override', field: `${field} in the language of templates`, entry: entry.name, bytes },
          run: (target) => override(target, { [field]: entry.make(bytes) }),
        };
  yield* expansions();
}

/** Little that becomes much: a placeholder many times and a value that is long, for one email and for a batch. */
function* expansions(): Generator<Attack> {
  for (const placeholder of ['{{{A}}}', '{{{A}}} ', '{{{B}}}'])
    for (const [count, length] of [
      [73_000, 7],
      [73_000, 2000],
      [7300, 500_000],
      [500, 15_000_000],
    ] as const)
      for (const emails of [1, 100]) {
        if (length * emails > 15_000_000) continue;
        // Filled templates count against a body's limit and the memory of requests, as files by URL do.
        const filled = count * length > CONTENT_BYTES ? 0 : Math.min(count * length * emails, BODY_BYTES);
        const bytes = count * placeholder.length + length * emails + filled;
        yield {
          ...{ wayIn: 'stored template', field: `html and variables, ${emails} emails`, bytes },
          entry: `${placeholder} × ${count} with ${length} characters`,
          run: (target) =>
            storedTemplate(target, { html: placeholder.repeat(count) }, 'x'.repeat(length), emails),
        };
      }
}

function content(
  wayIn: string,
  field: string,
  entry: Entry,
  run: (target: Target, text: string) => Promise<Outcome>,
): Attack {
  const bytes = /subject|preview_text/.test(field) ? 140 : CONTENT_BYTES;
  return {
    ...{ wayIn, field, entry: entry.name, bytes: Math.max(bytes, 4 * KB) },
    run: (target) => run(target, entry.make(bytes)),
  };
}

/** One request of several, each measured by itself. */
async function ask(target: Target, method: string, path: string, body?: object): Promise<Answer> {
  await target.next();
  return target.ask({ method, path, ...(body && { body: JSON.stringify(body), headers: JSON_TYPE }) });
}

/** The first answer that is no success, or the largest of them. */
function worst(answers: Answer[]): Outcome {
  const outcomes = answers.map(outcomeOf);
  const wrong = outcomes.find((one) => one.wrong) ?? outcomes.find(({ status }) => !/^[23]/.test(status));
  const sentBytes = Math.max(...answers.map((answer) => answer.sentBytes));
  const found = wrong ?? outcomes.reduce((one, two) => (two.answerBytes > one.answerBytes ? two : one));
  return { ...found, sentBytes };
}

async function readAgain(target: Target, html: string): Promise<Outcome> {
  const accepted = await ask(target, 'POST', '/v1/email/send', { to: 'a@example.net', subject: 'x', html });
  if (accepted.status !== 202) return outcomeOf(accepted);
  const id = String(json(accepted).emailId);
  const shared = await ask(target, 'POST', `/resend/emails/${id}/share`, {});
  const paths = [
    ...[`/resend/emails/${id}`, `/v1/emails/${id}`, `/admin/emails/${id}`, `/admin/emails/${id}/content`],
    ...[`/admin/emails/${id}/html`, new URL(String(json(shared).url)).pathname],
  ];
  const answers: Answer[] = [accepted];
  for (const path of paths) answers.push(await ask(target, 'GET', path));
  return worst(answers);
}

async function frame(target: Target, body: string): Promise<Outcome> {
  const headers = { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/x-www-form-urlencoded' };
  return outcomeOf(await target.ask({ method: 'POST', path: '/dashboard/frame', body, headers }));
}

async function storedTemplate(target: Target, content: object, value: string, emails = 1): Promise<Outcome> {
  const created = await ask(target, 'POST', '/resend/templates', {
    name: 'x',
    html: '<p>{{{A}}}</p>',
    ...content,
  });
  if (created.status !== 201) return outcomeOf(created);
  const { id } = json(created);
  await ask(target, 'POST', `/resend/templates/${id}/publish`, {});
  const template = { id, variables: { A: value, B: value } };
  const email = { from: 'a@example.com', to: 'a@example.net', subject: 'x', template };
  const sent =
    emails === 1
      ? await ask(target, 'POST', '/resend/emails', email)
      : await ask(target, 'POST', '/resend/emails/batch', Array(emails).fill(email));
  const read = await ask(target, 'GET', `/resend/templates/${id}`);
  const duplicate = await ask(target, 'POST', `/resend/templates/${id}/duplicate`, {});
  for (const kept of [id, json(duplicate).id]) await ask(target, 'DELETE', `/resend/templates/${kept}`);
  return worst([sent, read, duplicate]);
}

async function override(target: Target, changed: object): Promise<Outcome> {
  const at = '/admin/templates/deletion_scheduled/en';
  const draft = { subject: 'Soon', htmlContent: '<p>Hello</p>', textContent: 'Hello', ...changed };
  const preview = await ask(target, 'POST', `${at}/preview`, { content: draft });
  const saved = await ask(target, 'PUT', `${at}/draft`, draft);
  if (saved.status !== 200) return worst([preview, saved]);
  const answers = [preview, saved, await ask(target, 'POST', `${at}/publish`, {})];
  // Read anew for each region that somebody asks for.
  for (const lang of ['en', 'en-GB', 'en-NZ']) answers.push(await sendTyped(target, lang));
  answers.push(await ask(target, 'GET', `${at}/preview`), await ask(target, 'GET', at));
  await ask(target, 'POST', `${at}/active`, { isActive: false });
  return worst(answers);
}

const TYPED_DATA = {
  ...{ name: 'Ada', deletionAt: '2030-06-13T10:00:00Z', timeZone: 'Europe/Berlin' },
  cancelUrl: 'https://example.com/',
};

function sendTyped(target: Target, lang: string, changed: object = {}): Promise<Answer> {
  const data = { ...TYPED_DATA, ...changed };
  const email = { to: 'a@example.net', type: 'deletion_scheduled', lang, data };
  return ask(target, 'POST', '/v1/email/send', email);
}

async function broadcast(target: Target, changed: object): Promise<Outcome> {
  const content = { from: 'a@example.com', subject: 'x', preview_text: 'Soon', html: '<p>x</p>', ...changed };
  const body = { name: 'x', segment_id: target.contents.segmentId, ...content, send: true };
  const created = await ask(target, 'POST', '/resend/broadcasts', body);
  if (created.status !== 201) return outcomeOf(created);
  const path = `/resend/broadcasts/${json(created).id}`;
  const done = await callUntil(
    () => target.ask({ method: 'GET', path }), // measured together: the work is done between them
    // Not parsed: it may be longer than what is kept of an answer.
    ({ text }) => !/"status":"(?:queued|scheduled|sending|running)"/.test(text),
    15_000,
  );
  return done === null
    ? { status: '201', answerBytes: 0, wrong: 'the broadcast does not end' }
    : outcomeOf(done);
}
