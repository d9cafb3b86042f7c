/**
 * The id under which a server queued a message, from the text of its 250: the forms of Postfix
 * (`queued as X`), Exim and Gmail (`id=X`), OpenSMTPD (`X Message accepted`), and SES and others that answer `Ok X`. Undefined where
 * none is recognised.
 */
export function parseQueueId(text: string): string | undefined {
  for (const form of FORMS) {
    const id = form.exec(text)?.[1];
    // Words alone are a sentence and no id.
    if (id && (form !== OK || /\d/.test(id.slice(0, -11)))) return id.slice(0, 200);
  }
  return undefined;
}

const OK = /^(?:2\.\d+\.\d+ )?ok:? <?([\w@.+-]{12,})>?$/i;
const FORMS = [
  /\bqueued as <?([\w.@+-]+)/i,
  /\bid=<?([\w.@+-]+)/i,
  /^(?:2\.\d+\.\d+ )?([0-9a-f]{8,}) message accepted/i,
  OK,
];
