import type { Browser, BrowserServer } from 'playwright-core';
import { inject } from 'vitest';

/** One Chromium for all test files of a run: starting it takes about a second of work. Each file has its own contexts. */
export async function startBrowser(executablePath: string): Promise<BrowserServer> {
  const { chromium } = await playwright();
  return chromium.launchServer({ executablePath, args: ARGS });
}

/** A connection to that browser. Closing it closes its contexts, not the browser. */
export async function openBrowser(): Promise<Browser> {
  const url = inject('browserUrl');
  if (!url) throw new Error('no browser was started: the file must name it in describeWith');
  const { chromium } = await playwright();
  return chromium.connect(url);
}

/** Loaded where a browser is wanted: every test file imports this one, and loading it takes a third of a second. */
const playwright = () => import('playwright-core');

const ARGS = ['--no-sandbox', '--disable-background-networking', '--disable-component-update'];
