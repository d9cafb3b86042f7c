/**
 * HTML of an email or a template, shown and never run: in a frame without scripts, without our origin, without network.
 * A frame filled from the page would inherit the page's policy, so the markup takes a turn through the server, which
 * answers with one of its own.
 */
import { useEffect, useId, useRef } from 'react';

export interface HtmlFrameProps {
  html: string;
  title: string;
  height?: number | string;
  width?: number | string;
  /** How the email sees the reader's scheme. */
  scheme?: 'light' | 'dark';
}

export const FRAME_SANDBOX = 'allow-popups allow-popups-to-escape-sandbox';

export function HtmlFrame({ html, title, height = 560, width = '100%', scheme = 'light' }: HtmlFrameProps) {
  const name = `frame-${useId()}`;
  const form = useRef<HTMLFormElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another html or screen is what makes the frame load again
  useEffect(() => {
    form.current?.submit();
  }, [html, scheme]);
  return (
    <>
      <form
        ref={form}
        method="post"
        action="/dashboard/frame"
        target={name}
        encType="multipart/form-data"
        hidden
      >
        <textarea name="html" value={html} readOnly aria-hidden="true" tabIndex={-1} />
        <input type="hidden" name="scheme" value={scheme} />
      </form>
      <iframe
        name={name}
        title={title}
        sandbox={FRAME_SANDBOX}
        className="html-frame"
        style={{ height, width, colorScheme: scheme }}
      />
    </>
  );
}
