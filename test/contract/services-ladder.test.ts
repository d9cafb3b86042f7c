import { createServer } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { bringUp } from '../services/bring-up.js';
import { freePort, waitFor } from '../services/index.js';
import { postgres } from '../services/postgres.js';
import { type Service, unavailable } from '../services/service.js';

const NO_VARIABLE = async () => unavailable('no variable');
const NO_PROGRAM = async () => unavailable('no program');
const NOWHERE: Service = { name: 'queue', ways: [NO_VARIABLE, NO_PROGRAM] };

describe('bringing a service up', () => {
  it('the first two ways are unavailable → the third is taken and the fourth not tried', async () => {
    const fourth = vi.fn(async () => unavailable('no root'));
    const service: Service = {
      name: 'queue',
      ways: [
        NO_VARIABLE,
        NO_PROGRAM,
        async () => ({ running: true, url: 'x:', origin: 'a container' }),
        fourth,
      ],
    };
    expect(await bringUp(service, { maySkip: true })).toMatchObject({ running: true, origin: 'a container' });
    expect(fourth).not.toHaveBeenCalled();
  });

  it('no way and skipping allowed → every reason is told', async () => {
    expect(await bringUp(NOWHERE, { maySkip: true })).toEqual({
      running: false,
      because: 'no variable; no program',
    });
  });

  it('no way in CI → it fails and names the service', async () => {
    await expect(bringUp(NOWHERE, { maySkip: false })).rejects.toThrow(
      /^queue is needed and nothing may be skipped in CI, but: no variable; no program$/,
    );
  });

  it('TEST_DATABASE_URL names a server that does not answer → an error, not another server', async () => {
    vi.stubEnv('TEST_DATABASE_URL', `postgres://postgres@127.0.0.1:${await freePort()}/postgres`);
    await expect(bringUp(postgres, { maySkip: true })).rejects.toThrow(/does not answer: .*ECONNREFUSED/);
    vi.unstubAllEnvs();
  });
});

describe('waitFor', () => {
  it('condition holds after a while → its value is returned', async () => {
    let looks = 0;
    expect(await waitFor(() => ++looks > 2 && looks, { timeoutMs: 5000, what: 'three looks' })).toBe(3);
  });

  it('condition only throws → the timeout tells what was waited for and the last error', async () => {
    const failing = () => Promise.reject(new Error('not there'));
    await expect(waitFor(failing, { timeoutMs: 50, what: 'a server' })).rejects.toThrow(
      'waited 50 ms for a server, in vain (last error: not there)',
    );
  });

  it('condition hangs → the timeout still comes', async () => {
    await expect(
      waitFor(() => new Promise<boolean>(() => undefined), { timeoutMs: 50, what: 'an answer' }),
    ).rejects.toThrow('waited 50 ms for an answer, in vain');
  });
});

it('freePort → a port one can listen on, below the ephemeral range', async () => {
  const port = await freePort();
  expect(port).toBeLessThan(32_768);
  await new Promise<void>((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
  });
});
