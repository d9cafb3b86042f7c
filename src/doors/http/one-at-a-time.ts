/**
 * Serves the requests of a connection one after the other, each in a turn of its own. HTTP/1.1 lets a client send many
 * without waiting for answers, and Node hands over all that arrive together: their answers would be made at once and held
 * until those before them are read. A client that sends more than a hundred ahead is cut off.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export function oneAtATime(serve: Listener): Listener {
  const waiting = new WeakMap<Socket, Array<() => void>>();

  return (request, response) => {
    const { socket } = request;
    const queue = waiting.get(socket);
    const begin = () => {
      response.once('close', () => goOn(socket));
      serve(request, response);
    };
    if (queue === undefined) {
      waiting.set(socket, []);
      begin();
    } else if (queue.length < MOST_AHEAD) queue.push(begin);
    else socket.destroy();
  };

  function goOn(socket: Socket): void {
    const next = waiting.get(socket)?.shift();
    if (next === undefined || socket.destroyed) waiting.delete(socket);
    else setImmediate(next);
  }
}

const MOST_AHEAD = 100;
