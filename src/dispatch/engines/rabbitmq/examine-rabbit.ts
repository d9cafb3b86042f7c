import { openRabbit, type RabbitAddress } from './open-rabbit.js';

/** Whether the broker can be reached with these credentials: says so, or throws what is wrong. */
export async function examineRabbit(address: RabbitAddress): Promise<string> {
  const connection = await openRabbit(address, 'doctor');
  let reason = 'no answer';
  connection.on('error', (error: Error) => {
    reason = error.message;
  });
  try {
    await connection.onConnect(CONNECT_MS, true);
    return 'the broker answers';
  } catch {
    throw new Error(`RabbitMQ does not answer: ${reason}`);
  } finally {
    connection.unsafeDestroy();
  }
}

const CONNECT_MS = 5000;
