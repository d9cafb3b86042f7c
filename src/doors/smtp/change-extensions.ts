/**
 * Changes what EHLO announces. A client that sees no AUTH sends no key, where refusing it afterwards would be too late;
 * one that reads LIMITS (RFC 9422) asks for no more recipients than a message may have.
 */
export function changeExtensions(connection: Connection, change: (extensions: string[]) => string[]): void {
  const send = connection.send.bind(connection);
  connection.send = (code, data, context) => {
    const isEhlo = Array.isArray(data) && data.includes('PIPELINING');
    // The first line is the greeting.
    send(code, isEhlo ? [data[0], ...change(data.slice(1).map(String))] : data, context);
  };
}

export interface Connection {
  session: { id: string };
  secure: boolean;
  send(code: number, data: unknown, context?: unknown): void;
}
