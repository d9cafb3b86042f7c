import { type Browser, type BrowserServer, chromium } from 'playwright-core';
import { inject } from 'vitest';

/** One Chromium for all test files of a run: starting it takes about a second of work. Each file has its own contexts. */
export function startBrowser(executablePath: string): Promise<BrowserServer> {
  return chromium.launchServer({ executablePath, args: ARGS });
}

/** A connection to that browser. Closing it closes its contexts, not the browser. */
export function openBrowser(): Promise<Browser> {
  const url = inject('browserUrl');
  if (!url) throw new Error('no browser was started: the file must name it in describeWith');
  return chromium.connect(url);
}

const ARGS = ['--no-sandbox', '--disable-background-networking', '--disable-component-update'];
