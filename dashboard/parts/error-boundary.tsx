/** Keeps a page that broke from taking the shell with it: what happened is said, and another page can be opened. */
import { Component, type ReactNode } from 'react';
import { ErrorNotice } from './error-notice.js';

export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown; at: string }> {
  override state = { error: null as unknown, at: '' };

  static getDerivedStateFromError(error: unknown) {
    return { error, at: location.pathname };
  }

  override render() {
    const { error, at } = this.state;
    if (error === null || at !== location.pathname) return this.props.children;
    return <ErrorNotice error={error} onRetry={() => location.reload()} />;
  }
}
