import { messageOf, PostriderError } from '../kernel/index.js';

/**
 * An email given as a React element becomes one with HTML and text, on the caller's side, by the optional package
 * @react-email/render. Only a real element counts, which no JSON can be, so nothing from outside gets here; what is
 * not one goes on as it came and is judged with the rest.
 */
export async function renderReact<Email>(email: Email, load: LoadRender = loadRender): Promise<Email> {
  if (typeof email !== 'object' || email === null || !('react' in email) || !isElement(email.react))
    return email;
  const { react, ...rest } = email;
  const { render } = await load();
  try {
    const element = react as never;
    const html = await render(element);
    return { text: await render(element, { plainText: true }), ...rest, html } as Email;
  } catch (error) {
    throw new PostriderError('INVALID_TEMPLATE', `react could not be rendered: ${messageOf(error)}`, {
      field: 'react',
      cause: error,
    });
  }
}

/** The part of the optional package that is used; it is loaded when an element is sent. */
export type LoadRender = () => Promise<{
  render(element: never, options?: { plainText?: boolean }): string | Promise<string>;
}>;

async function loadRender(): ReturnType<LoadRender> {
  try {
    return await import('@react-email/render');
  } catch (error) {
    throw new PostriderError('INVALID_CONFIG', 'To send React elements, install @react-email/render.', {
      field: 'react',
      cause: error,
    });
  }
}

function isElement(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && '$$typeof' in value && typeof value.$$typeof === 'symbol'
  );
}
