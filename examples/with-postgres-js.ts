/**
 * The same with postgres.js: its transaction goes in as `tx`. An Idempotency-Key makes a repeated call harmless.
 * Needs DATABASE_URL; delivers to SMTP_HOST and SMTP_PORT, or prints when they are not set.
 */
import postgres from 'postgres';
import { createPostrider } from '../src/index.js'; // in your application: from 'postrider'
import { untilEnded } from './until-ended.js';

const url = process.env.DATABASE_URL ?? '';
const sql = postgres(url, { onnotice: () => {} });
const postrider = createPostrider({ database: url });
await postrider.start();
await sql`create table if not exists invitations (email text primary key)`;

const first = await invite('ada@example.com');
const again = await invite('ada@example.com');

console.log(`same email:  ${first === again}`);
console.log(`it is:       ${await untilEnded(postrider, first)}`);
await postrider.stop();
await sql.end();

async function invite(email: string): Promise<string> {
  return sql.begin(async (tx) => {
    await tx`insert into invitations (email) values (${email}) on conflict do nothing`;
    const { emailId } = await postrider.send(
      { to: email, subject: 'You are invited', html: '<p>Come and <b>join us</b>.</p>', priority: 2 },
      { tx, idempotencyKey: `invite:${email}` },
    );
    return emailId;
  });
}
