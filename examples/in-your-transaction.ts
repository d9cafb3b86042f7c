/**
 * An order and its confirmation, committed together with `pg`: both exist or neither does.
 * Needs DATABASE_URL; delivers to SMTP_HOST and SMTP_PORT, or prints when they are not set.
 */
import pg from 'pg';
import { createPostrider } from '../src/index.js'; // in your application: from 'postrider'
import { untilEnded } from './until-ended.js';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const postrider = createPostrider({ database: pool });
await postrider.start(); // brings the schema up to date and delivers from this process
await pool.query('create table if not exists orders (id serial primary key, customer text not null)');

const kept = await order('ada@example.com', 'commit');
const undone = await order('bob@example.com', 'rollback');

console.log(`committed:   ${await untilEnded(postrider, kept)}`);
console.log(`rolled back: ${(await postrider.get(undone)) === null ? 'never existed' : 'exists'}`);
await postrider.stop();
await pool.end();

async function order(customer: string, end: 'commit' | 'rollback'): Promise<string> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('insert into orders (customer) values ($1)', [customer]);
    const { emailId } = await postrider.send(
      { to: customer, subject: 'Thank you for your order', text: 'We are packing it now.' },
      { tx: client },
    );
    await client.query(end);
    return emailId;
  } finally {
    client.release();
  }
}
