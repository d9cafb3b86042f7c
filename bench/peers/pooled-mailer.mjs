/**
 * nodemailer as each peer uses it: a pool whose connections are never retired, plain SMTP to loopback,
 * no logging. nodemailer itself sets TCP_NODELAY.
 */
import { createTransport } from 'nodemailer';

export function openMailer({ port, connections }) {
  const transport = createTransport({
    pool: true,
    host: '127.0.0.1',
    port,
    secure: false,
    ignoreTLS: true,
    maxConnections: connections,
    maxMessages: Number.POSITIVE_INFINITY,
    logger: false,
  });
  return {
    send: ({ to, subject, html, text }) =>
      transport.sendMail({ from: 'noreply@example.com', to, subject, html, text }),
    close: () => transport.close(),
  };
}
