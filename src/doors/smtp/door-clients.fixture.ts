import { afterEach, expect } from 'vitest';
import { type RawClient, rawClient } from './raw-client.fixture.js';
import { type DoorGround, openDoorGround, TOKEN } from './smtp-door.fixture.js';

/** Doors and clients that are closed after each test. */
const open: Array<{ close(): unknown }> = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

export function closeAfter<T extends { close(): unknown }>(one: T): T {
  open.push(one);
  return one;
}

export async function ground(settings?: Parameters<typeof openDoorGround>[0]): Promise<DoorGround> {
  return closeAfter(await openDoorGround(settings));
}

export async function client({ door }: DoorGround, localAddress?: string): Promise<RawClient> {
  return closeAfter(await rawClient(door.port, localAddress));
}

export async function signedIn(at: DoorGround, token = TOKEN): Promise<RawClient> {
  const opened = await client(at);
  expect(await opened.signIn(token)).toMatch(/^235 /);
  return opened;
}

export const MESSAGE = [
  ...['From: App <app@example.com>', 'To: reader@example.net', 'Subject: Hello'],
  ...['', 'Hello'],
].join('\r\n');
