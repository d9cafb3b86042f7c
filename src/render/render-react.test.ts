import { expect, it } from 'vitest';
import { renderReact } from './render-react.js';

const element = { $$typeof: Symbol.for('react.element'), type: 'p' };
const load = async () => ({
  render: (_: unknown, options?: { plainText?: boolean }) => (options?.plainText ? 'Hi' : '<p>Hi</p>'),
});

it('an element → HTML and text, the text given by the caller kept', async () => {
  expect(await renderReact({ to: 'a', subject: 's', react: element }, load)).toEqual({
    ...{ to: 'a', subject: 's', html: '<p>Hi</p>', text: 'Hi' },
  });
  expect(await renderReact({ text: 'mine', react: element }, load)).toEqual({
    html: '<p>Hi</p>',
    text: 'mine',
  });
});

it('what only looks like an element, as JSON can → left as it came', async () => {
  const email = { react: { $$typeof: 'react.element', type: 'p' } };
  expect(await renderReact(email, load)).toBe(email);
  expect(await renderReact(null, load)).toBe(null);
});

it('a real element → rendered by the package itself', async () => {
  const { createElement } = await import('react');
  const react = createElement('p', null, 'Hi ', createElement('b', null, '<you>'));
  const email = (await renderReact({ react })) as unknown as { html: string; text: string };
  expect(email.html).toContain('<p>Hi <b>&lt;you&gt;</b></p>');
  expect(email.text.trim()).toBe('Hi <you>');
});

it('an element that throws → INVALID_TEMPLATE', async () => {
  const broken = async () => ({ render: () => Promise.reject(new Error('boom')) });
  await expect(renderReact({ react: element }, broken)).rejects.toMatchObject({
    ...{ code: 'INVALID_TEMPLATE', field: 'react', message: 'react could not be rendered: boom' },
  });
});
