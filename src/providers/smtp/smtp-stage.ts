/**
 * How far an attempt came. Up to `body` the server cannot have delivered anything; at `dot` it may
 * have; at `reply` its answer was read.
 */
export type SmtpStage =
  | 'connect'
  | 'greeting'
  | 'ehlo'
  | 'starttls'
  | 'auth'
  | 'mail'
  | 'rcpt'
  | 'data'
  | 'body'
  | 'dot'
  | 'reply';
