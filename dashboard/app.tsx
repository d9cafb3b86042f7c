/**
 * Signing in first, then the shell with the page of the address. On an open loopback there is nobody to sign in. A
 * session that ends while a page is open leaves the page under the signing in, with everything that was typed.
 */
import { Center, Loader } from '@mantine/core';
import { Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { ApiError } from './api/api-error.js';
import { SessionContext, useSessionQuery } from './api/session.js';
import { pagesFor } from './pages/page-list.js';
import { ErrorBoundary } from './parts/error-boundary.js';
import { ErrorNotice } from './parts/error-notice.js';
import { NotFound } from './parts/not-found.js';
import { Shell } from './shell/shell.js';
import { SignInPage } from './sign-in/sign-in-page.js';
import { SignedOut } from './sign-in/signed-out.js';

export function App() {
  const session = useSessionQuery();
  if (session.isPending) return <Waiting />;
  const outside = session.error instanceof ApiError && session.error.status === 401;
  if (session.data === undefined) {
    if (outside) return <SignInPage />;
    return (
      <Center h="100vh" p="md">
        <ErrorNotice error={session.error} onRetry={() => session.refetch()} />
      </Center>
    );
  }
  const pages = pagesFor(session.data);
  return (
    <SessionContext value={session.data}>
      {outside && <SignedOut />}
      <div inert={outside}>
        <Shell pages={pages}>
          <ErrorBoundary>
            <Suspense fallback={<Waiting />}>
              <Switch>
                {pages.flatMap(({ path, component, items }) =>
                  [{ path, component }, ...(items ? [items] : [])].map((one) => (
                    <Route key={one.path} {...one} />
                  )),
                )}
                <Route path="/sign-in">
                  <Redirect to="/" replace />
                </Route>
                <Route component={NotFound} />
              </Switch>
            </Suspense>
          </ErrorBoundary>
        </Shell>
      </div>
    </SessionContext>
  );
}

function Waiting() {
  return (
    <Center mih="60vh" role="status" aria-label="Loading">
      <Loader />
    </Center>
  );
}
