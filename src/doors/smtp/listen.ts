import type { SMTPServer } from 'smtp-server';
import { PostriderError } from '../../kernel/index.js';

/** Resolves when the port is open; where it cannot be, the refusal names the setting and says why. */
export function listen(server: SMTPServer, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? 'is already in use'
          : error.code === 'EACCES'
            ? 'needs more rights: ports below 1024 often do'
            : `cannot be opened (${error.code})`;
      const message = `POSTRIDER_SUBMISSION_PORT ${port} on ${host} ${why}.`;
      reject(
        new PostriderError('INVALID_CONFIG', message, { field: 'POSTRIDER_SUBMISSION_PORT', cause: error }),
      );
    };
    server.once('error', refused);
    server.listen(port, host, () => {
      server.off('error', refused);
      resolve();
    });
  });
}
