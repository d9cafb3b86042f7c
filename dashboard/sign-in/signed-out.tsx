/**
 * Signing in over a page whose session has ended. The page stays as it was left, out of sight and out of reach, its
 * dialogs too, and asks nothing until someone is signed in.
 */
import { focusManager } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { SignInPage } from './sign-in-page.js';

export function SignedOut() {
  const own = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Dialogs stand beside the page in the document.
    const others = [...document.body.children].filter(
      (one): one is HTMLElement => one instanceof HTMLElement && !one.contains(own.current) && !one.inert,
    );
    for (const one of others) one.inert = true;
    focusManager.setFocused(false);
    return () => {
      for (const one of others) one.inert = false;
      focusManager.setFocused(undefined);
    };
  }, []);
  return (
    <div ref={own} className="signed-out">
      <SignInPage />
    </div>
  );
}
